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
  units_.push_back(std::make_unique<Unit>(std::move(program), builtins_));
  Unit* previous = std::exchange(main_, units_.back().get());
  // Predefined variables (compile/catalog.h) keep their values from one program to the next.
  for (size_t i = 0; i < 3 && i < main_->globals.size(); ++i) {
    if (previous) main_->globals[i] = previous->globals[i];
  }
  if (!previous) {
    main_->globals[0] = new_list();
    main_->globals[1] = new_dict();
    main_->globals[2] = Value::share(result_type());
  }
  for (auto& [index, value] : presets_) main_->globals[index] = value;
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
