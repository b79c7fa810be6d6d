#include "vm/vm.h"

#include <numeric>
#include <thread>

#include "base/result.h"
#include "bytecode/code.h"
#include "bytecode/task_variables.h"
#include "vm/function.h"
#include "vm/handle.h"
#include "vm/interpreter.h"
#include "vm/scheduler.h"
#include "vm/sync.h"
#include "vm/transfer.h"

namespace harn::vm {

Vm::Vm(const BuiltinTable& builtins, Host& host, VmOptions options)
    : builtins_(builtins), host_(host), options_(std::move(options)) {
  unsigned workers = options_.workers ? options_.workers : std::thread::hardware_concurrency();
  scheduler_ = std::make_unique<Scheduler>(*this, workers);
}

namespace {

// Functions that a thread has looked for, by where their names stand: rows of builtins do not move.
struct FoundFunctions {
  struct Place {
    const Vm* vm = nullptr;
    const char* name = nullptr;
    ClosureObject* function = nullptr;
  };
  Place& place_of(const char* name) { return places[reinterpret_cast<uintptr_t>(name) / 16 % std::size(places)]; }

  Place places[512];
  uint64_t ended_vms = 0;
};

// Another VM may get the place of one that has ended.
std::atomic<uint64_t> ended_vms{0};

}  // namespace

Vm::~Vm() {
  bool is_unfinished = scheduler_->stands_still();
  if (is_unfinished && !scheduler_->abandon_tasks()) {
    // It could not be put away: it is stopped like any other program, and waits for what it has begun.
    is_unfinished = false;
    scheduler_->stand_still_at(0);
    scheduler_->cancel(scheduler_->root(), true);
    (void)scheduler_->go_on_with_root();
  }
  if (!is_unfinished) end_tasks();
  // Variables first, then what only cycles keep alive; code objects last, since closures need them.
  presets_.clear();
  Task& root = scheduler_->root();
  root.globals = {};
  root.life->given_globals = {};
  root.context.set_nil();
  locals_.clear();
  root.life->cells.clear();
  work_off_remains(SIZE_MAX);
  holders_.empty_all();
  work_off_remains(SIZE_MAX);
  scheduler_.reset();
  work_off_remains(SIZE_MAX);
  empty_travelling_cells();
  for (auto& [name, part] : prelude_) {
    if (part) part->unit->library.clear();
  }
  ended_vms.fetch_add(1, std::memory_order_release);
}

void Vm::stop(StopReason reason) {
  stop_.store(reason);
  scheduler_->poke();
}

void Vm::interrupt(int signal) {
  signal_.store(signal);
  stop(StopReason::Interrupt);
}

// The scope of a module ends with the program: what it owns is let go, the last first.
Outcome<Value> Vm::drop_owned(Call& call) {
  Task& root = Scheduler::current();
  for (auto& owned = call.vm().owned_; !owned.empty(); owned.pop_back()) {
    drop_value(root.globals->values()[owned.back()]);
  }
  root.kept_permits = 0;
  release_permits(root.life->root, 0);
  return Value();
}

// Program variables are gone now; generators among them are closed.
static Outcome<Value> drop_variables(Call&) {
  drop_generators(*Scheduler::current().globals.get(), false);
  return Value();
}

Outcome<Value> Vm::end_tasks() {
  constinit static const Builtin kDropOwned = {.name = "__drop_owned", .signature = "() -> nil", .call = drop_owned};
  constinit static const Builtin kDropGenerators = {
      .name = "__drop_generators", .signature = "() -> nil", .call = drop_variables};
  Task& root = scheduler_->root();
  scheduler_->stand_still_at(0);  // from here on it cannot be put away any more
  Outcome<Value> closed;
  if (!owned_.empty() || root.kept_permits > 0) closed = call(Value::builtin(&kDropOwned), {});
  if (root.watched > 0 && root.globals && !root.globals->is_shared())
    closed = call(Value::builtin(&kDropGenerators), {});
  scheduler_->end_tasks();
  return closed;
}

Outcome<Value> Vm::run_start() {
  Task& root = scheduler_->root();
  root.keeps_permits = true;
  return call(Value(new_closure(main_->starts[stage_])), {});
}

// Runs the start code of the main unit's modules from `stage_` on, in order; the value is the last one's.
Outcome<Value> Vm::run_starts() {
  Value value;
  while (stage_ < main_->starts.size()) {
    auto outcome = run_start();
    if (scheduler_->stands_still()) return Value();
    scheduler_->root().keeps_permits = false;
    ++stage_;
    value = HARN_TRY(std::move(outcome));
  }
  return value;
}

bool Vm::is_loading() const { return main_ && stage_ < main_->starts.size(); }

Outcome<Value> Vm::go_on() {
  auto outcome = scheduler_->go_on_with_root();
  if (scheduler_->stands_still() || !is_loading()) return outcome;
  scheduler_->root().keeps_permits = false;
  ++stage_;
  Value value = HARN_TRY(std::move(outcome));
  return is_loading() ? run_starts() : value;
}

Outcome<Value> Vm::load(std::unique_ptr<bytecode::Program> program) {
  return start(std::make_unique<Unit>(std::move(program), builtins_), false);
}

Outcome<Value> Vm::load_more(std::unique_ptr<bytecode::Program> program) {
  return start(std::make_unique<Unit>(std::move(program), builtins_), true);
}

void Vm::adopt(std::unique_ptr<bytecode::Program> program) {
  begin(std::make_unique<Unit>(std::move(program), builtins_), false);
}

Outcome<Value> Vm::start(std::unique_ptr<Unit> unit, bool keep_variables) {
  begin(std::move(unit), keep_variables);
  return run_starts();
}

void Vm::begin(std::unique_ptr<Unit> unit, bool keep_variables) {
  units_.push_back(std::move(unit));
  main_ = units_.back().get();
  GlobalsRef& globals = scheduler_->root().globals;
  GlobalsRef fresh(Globals::create(static_cast<uint32_t>(main_->program->globals.size())));
  Value* values = fresh->values();
  if (globals) {
    // Predefined variables (compile/catalog.h) keep their values from one program to the next.
    constexpr uint32_t kPredefined = 3;
    uint32_t kept = std::min(keep_variables ? globals->count : kPredefined, fresh->count);
    for (uint32_t i = 0; i < kept; ++i) values[i] = globals->values()[i];
  } else {
    values[0] = new_list();
    values[1] = new_dict();
    values[2] = Value::share(result_type());
  }
  for (auto& [index, value] : std::exchange(presets_, {})) values[index] = value;
  globals = std::move(fresh);
  if (!keep_variables) owned_.clear();
  owned_.insert(owned_.end(), main_->program->owned.begin(), main_->program->owned.end());
  stage_ = 0;
}

std::string_view Vm::main_path() const {
  if (!main_ || main_->program->modules.empty()) return {};
  const SourcePtr& source = main_->program->modules.back()->source;
  return source ? source->path() : std::string_view();
}

Value Vm::global(uint32_t index) const { return scheduler_->root().globals->values()[index]; }

std::optional<uint32_t> Vm::find_global(std::string_view name) const {
  const auto& names = main_->program->globals;
  // The main module's variables come last.
  for (auto i = static_cast<uint32_t>(names.size()); i-- > 0;) {
    if (names[i] == name) return i;
  }
  return {};
}

void Vm::preset_global(uint32_t index, Value value) { presets_[index] = std::move(value); }

Outcome<Value> Vm::call(const Value& callee, std::span<const Value> args) { return scheduler_->run_root(callee, args); }

// Whether what the last child got is still what the parent has.
static bool is_current(Task& parent, std::span<const uint32_t> visible) {
  if (!parent.life->given_globals) return false;
  auto stateful = parent.life->given_stateful.begin();
  for (uint32_t i : visible) {
    const Value& own = parent.globals->values()[i];
    if (stateful != parent.life->given_stateful.end() && stateful->index == i) {
      if (!own.is_heap() || own.bits() != stateful->bits) return false;
      ++stateful;
      continue;
    }
    // The given one was frozen: an object that is the same has not changed.
    const Value& given = parent.life->given_globals->values()[i];
    if (given.kind() != own.kind() || given.bits() != own.bits()) return false;
  }
  return true;
}

GlobalsRef Vm::globals_for_child(Task& parent, Crossing& crossing) {
  Globals* own = parent.globals.get();
  // A child that has not written passes on what it got.
  if (!own || own->is_shared()) return parent.globals;
  std::span<const uint32_t> visible = visible_to_tasks();
  if (!is_current(parent, visible)) {
    GlobalsRef given(Globals::create(own->count));
    parent.life->given_stateful.clear();
    for (uint32_t i : visible) {
      const Value& value = own->values()[i];
      if (freeze(value)) given->values()[i] = value;
      else parent.life->given_stateful.push_back({i, value.bits()});
    }
    parent.life->given_globals = std::move(given);
  }
  if (parent.life->given_stateful.empty()) return parent.life->given_globals;
  GlobalsRef given(Globals::create(own->count));
  for (uint32_t i : visible) given->values()[i] = parent.life->given_globals->values()[i];
  for (const TaskLife::Stateful& stateful : parent.life->given_stateful) {
    // Something that cannot be given away (a generator that runs) is unset for the child.
    if (auto value = crossing.give(own->values()[stateful.index])) given->values()[stateful.index] = std::move(*value);
  }
  return given;
}

void Vm::expect_calls_from_outside() {
  std::lock_guard lock(visible_lock_);
  is_called_from_outside_ = true;
  visible_of_ = nullptr;
  scheduler_->root().life->given_globals = {};
}

std::span<const uint32_t> Vm::visible_to_tasks() {
  std::lock_guard lock(visible_lock_);
  if (visible_of_ == main_) return visible_;
  visible_of_ = main_;
  // Code of earlier inputs of a session may run too, or whatever a host calls: all variables.
  if (units_.size() == 1 && !is_called_from_outside_) {
    visible_ = bytecode::VariableUse(*main_->program).of_tasks();
  } else {
    visible_.resize(main_->program->globals.size());
    std::iota(visible_.begin(), visible_.end(), 0u);
  }
  return visible_;
}

// The start code of the prelude only defines functions: it runs here and now, as a task of its own.
Outcome<Vm::PreludePart*> Vm::load_prelude(std::string_view name) {
  std::lock_guard lock(prelude_lock_);
  auto& part = prelude_[std::string(name)];
  if (part) return part.get();
  auto program = options_.load_prelude ? options_.load_prelude(name) : nullptr;
  if (!program) return runtime_error("the prelude is not available");
  auto loaded = std::make_unique<PreludePart>();
  loaded->unit = std::make_unique<Unit>(std::move(program), builtins_);
  Unit& unit = *loaded->unit;
  unit.library[2] = Value::share(result_type());
  for (Prototype* start : unit.starts) {
    auto task = new_handle<Task>(kTaskType);
    task->scheduler = scheduler_.get();
    task->entry = Value(new_closure(start));
    CellList* outer = use_cells(nullptr);
    Interpreter(*this, *task, this_worker).resume();
    use_cells(outer);
    if (task->error) return std::unexpected(std::move(task->error));
  }
  for (size_t i = 0; i < unit.library.size(); ++i) {
    // All tasks use them, functions and constants alike.
    Value& value = unit.library[i];
    value = HARN_TRY(transfer(std::move(value)));
    if (!value.is(Kind::Closure)) continue;
    loaded->functions[unit.program->globals[i]] = value.as_closure();
  }
  part = std::move(loaded);
  if (name.empty()) main_prelude_.store(part.get(), std::memory_order_release);
  return part.get();
}

// "name", or "part:name" for the files beside the prelude's own, which fewer programs need.
Outcome<ClosureObject*> Vm::prelude_function(std::string_view name) {
  static thread_local FoundFunctions known;
  if (uint64_t ended = ended_vms.load(std::memory_order_acquire); known.ended_vms != ended) {
    known = {};
    known.ended_vms = ended;
  }
  FoundFunctions::Place& place = known.place_of(name.data());
  if (place.vm == this && place.name == name.data()) return place.function;
  const char* row = name.data();
  size_t colon = name.find(':');
  std::string_view part = colon == std::string_view::npos ? "" : name.substr(0, colon);
  if (!part.empty()) name.remove_prefix(colon + 1);
  PreludePart* loaded = part.empty() ? main_prelude_.load(std::memory_order_acquire) : nullptr;
  if (!loaded) loaded = HARN_TRY(load_prelude(part));
  auto found = loaded->functions.find(name);
  if (found == loaded->functions.end()) return runtime_error("no prelude function `{}`", name);
  place = {this, row, found->second};
  return found->second;
}

}  // namespace harn::vm
