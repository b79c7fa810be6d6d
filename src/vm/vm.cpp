#include "vm/vm.h"

#include "base/result.h"
#include "bytecode/code.h"
#include "vm/function.h"
#include "vm/interpreter.h"

namespace harn::vm {

Vm::Vm(const BuiltinTable& builtins, Host& host, VmOptions options)
    : builtins_(builtins), host_(host), options_(std::move(options)) {}

Vm::~Vm() {
  // Variables first, then what only cycles keep alive; code objects last, since closures need them.
  presets_.clear();
  for (auto& unit : units_) unit->globals.clear();
  if (prelude_) prelude_->globals.clear();
  locals_.clear();
}

// Runs the start code of a unit's modules in order; the value is the last one's.
static Outcome<Value> run_starts(Vm& vm, Unit& unit) {
  Value value;
  for (Prototype* start : unit.starts) {
    Value closure = new_closure(start);
    value = HARN_TRY(vm.call(closure, {}));
  }
  return value;
}

Outcome<Value> Vm::load(std::unique_ptr<bytecode::Program> program) {
  auto unit = std::make_unique<Unit>(std::move(program), builtins_);
  // Predefined variables (compile/catalog.h) keep their values from one program to the next.
  for (size_t i = 0; main_ && i < 3 && i < unit->globals.size(); ++i) unit->globals[i] = main_->globals[i];
  return start(std::move(unit), !main_);
}

Outcome<Value> Vm::load_more(std::unique_ptr<bytecode::Program> program) {
  // Code of earlier inputs points at the variables, so they must never move: the storage is handed
  // from unit to unit and has room for all that a program may have.
  std::vector<Value> variables;
  if (main_) variables = std::move(main_->globals);
  else variables.reserve(0x10000);
  return start(std::make_unique<Unit>(std::move(program), builtins_, std::move(variables)), !main_);
}

Outcome<Value> Vm::start(std::unique_ptr<Unit> unit, bool is_first) {
  units_.push_back(std::move(unit));
  main_ = units_.back().get();
  if (is_first) {
    main_->globals[0] = new_list();
    main_->globals[1] = new_dict();
    main_->globals[2] = Value::share(result_type());
  }
  for (auto& [index, value] : std::exchange(presets_, {})) main_->globals[index] = value;
  return run_starts(*this, *main_);
}

Value Vm::global(uint32_t index) const { return main_->globals[index]; }

void Vm::preset_global(uint32_t index, Value value) { presets_[index] = std::move(value); }

Outcome<Value> Vm::call(const Value& callee, std::span<const Value> args) {
  return Interpreter(*this).call(callee, args);
}

Outcome<ClosureObject*> Vm::prelude_function(std::string_view name) {
  if (!prelude_) {
    auto program = options_.load_prelude ? options_.load_prelude() : nullptr;
    if (!program) return runtime_error("the prelude is not available");
    prelude_ = std::make_unique<Unit>(std::move(program), builtins_);
    prelude_->globals[2] = Value::share(result_type());
    HARN_TRY(run_starts(*this, *prelude_));
    for (size_t i = 0; i < prelude_->globals.size(); ++i) {
      const Value& value = prelude_->globals[i];
      if (value.is(Kind::Closure)) prelude_functions_[prelude_->program->globals[i]] = value.as_closure();
    }
  }
  auto found = prelude_functions_.find(name);
  if (found == prelude_functions_.end()) return runtime_error("no prelude function `{}`", name);
  return found->second;
}

}  // namespace harn::vm
