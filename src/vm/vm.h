#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <typeindex>
#include <unordered_map>

#include "vm/builtin.h"
#include "vm/host.h"

namespace harn::bytecode {
struct Program;
}

namespace harn::vm {

struct Unit;
struct ClosureObject;

struct Limits {
  int64_t while_limit = 10'000;    // passes of one `while`; 0: no limit
  uint32_t max_frames = 400'000;
  uint32_t max_registers = 16'000'000;
};

// Why a running program was asked to stop.
enum class StopReason : uint32_t { None, Interrupt, Timeout };

struct VmOptions {
  Limits limits;
  // Compiles the library functions that are written in Harn; called when one is first needed.
  std::function<std::unique_ptr<bytecode::Program>()> load_prelude;
  // Whether `value.name` without a call means the method row of that name.
  bool (*is_property)(Kind kind, std::string_view name) = nullptr;
};

// One running program: its modules' variables, its limits and its host. Not shared between threads,
// except `stop`, which a signal handler or a watchdog may call.
class Vm {
 public:
  Vm(const BuiltinTable& builtins, Host& host, VmOptions options);
  ~Vm();
  Vm(const Vm&) = delete;

  // Loads a program and runs the start code of its modules; the value is the main module's.
  Outcome<Value> load(std::unique_ptr<bytecode::Program> program);
  // The same for the next input of an interactive session: its program was compiled with the same
  // compile::Session as the ones before and shares their variables.
  Outcome<Value> load_more(std::unique_ptr<bytecode::Program> program);
  // A program variable of the loaded program, by index (see bytecode::PipelineEntry).
  Value global(uint32_t index) const;
  // Gives a predefined variable (compile/catalog.h) its value before the next `load`.
  void preset_global(uint32_t index, Value value);
  // Calls a closure or builtin from outside and runs until it returns.
  Outcome<Value> call(const Value& callee, std::span<const Value> args);

  Host& host() { return host_; }
  const BuiltinTable& builtins() const { return builtins_; }
  const Limits& limits() const { return options_.limits; }
  const VmOptions& options() const { return options_; }

  // Asks the program to unwind at its next back-edge or call; its defers run.
  void stop(StopReason reason) { stop_.store(reason, std::memory_order_relaxed); }
  const std::atomic<StopReason>& stop_flag() const { return stop_; }
  void clear_stop() { stop_.store(StopReason::None, std::memory_order_relaxed); }

  CellList& cells() { return cells_; }

  // A function of the prelude. Loads the prelude on first use.
  Outcome<ClosureObject*> prelude_function(std::string_view name);

  // State that a family of builtins keeps per program (log level, mocked input, ...):
  // one T per VM, made on first use.
  template <class T>
  T& local() {
    auto& slot = locals_[std::type_index(typeid(T))];
    if (!slot) slot = std::shared_ptr<void>(std::make_shared<T>());
    return *static_cast<T*>(slot.get());
  }

 private:
  Outcome<Value> start(std::unique_ptr<Unit> unit, bool is_first);

  const BuiltinTable& builtins_;
  Host& host_;
  VmOptions options_;
  std::atomic<StopReason> stop_{StopReason::None};
  std::unordered_map<std::type_index, std::shared_ptr<void>> locals_;
  CellList cells_;
  std::vector<std::unique_ptr<Unit>> units_;  // kept: error traces and closures point into them
  Unit* main_ = nullptr;
  std::unordered_map<uint32_t, Value> presets_;
  std::unique_ptr<Unit> prelude_;
  std::unordered_map<std::string_view, ClosureObject*> prelude_functions_;
};

}  // namespace harn::vm
