#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <typeindex>
#include <unordered_map>

#include "base/mutex.h"
#include "base/spin_lock.h"
#include "vm/builtin.h"
#include "vm/globals.h"
#include "vm/handle.h"
#include "vm/holders.h"
#include "vm/host.h"

namespace harn::bytecode {
struct Program;
}

namespace harn::vm {

struct Unit;
struct ClosureObject;
struct Task;
class Crossing;
class Scheduler;
class Standstill;  // standstill.h

struct Limits {
  int64_t while_limit = 10'000;  // passes of one `while`; 0: no limit
  uint32_t max_frames = 400'000;
  uint32_t max_registers = 16'000'000;
};

// Why a running program was asked to stop.
enum class StopReason : uint32_t { None, Interrupt, Timeout };

struct VmOptions {
  Limits limits;
  unsigned workers = 0;        // threads that run tasks; 0: as many as there are processors
  bool eager_workers = false;  // for tests: tasks move to other workers as soon as they can
  // Compiles the library functions that are written in Harn; called when one is first needed.
  std::function<std::unique_ptr<bytecode::Program>(std::string_view part)> load_prelude;
};

// One running program: its tasks, its limits and its host. Used by the thread that made it, except what
// builtins use, which tasks on all workers share, and `stop`, which a signal handler may call. Several may exist in one
// process. Table and host must outlive it. What fails in the program comes back as the error of an Outcome.
//
//   Vm vm(builtins::table(), host, options);
//   Outcome<Value> value = vm.load(std::move(program));    // runs it
//   Outcome<Value> ended = vm.end_tasks();                 // its tasks clean up
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
  // The path of the loaded program's main module; empty when it has none.
  std::string_view main_path() const;
  // A program variable of the loaded program, by index (see bytecode::PipelineEntry).
  Value global(uint32_t index) const;
  // The one of that name, if the program has one.
  std::optional<uint32_t> find_global(std::string_view name) const;
  // Gives a predefined variable (compile/catalog.h) its value before the next `load`.
  void preset_global(uint32_t index, Value value);
  // Calls a closure or builtin from outside and runs until it returns.
  Outcome<Value> call(const Value& callee, std::span<const Value> args);

  Holders& holders() { return holders_; }

  // ---- for src/park ----

  // Links a program and runs nothing: its state is about to be taken from somewhere else.
  void adopt(std::unique_ptr<bytecode::Program> program);
  // Whether the start code of modules is running, or was when the program stopped; else something the host has called.
  bool is_loading() const;
  // Goes on with a program that was taken up: with the rest of its start code, whose value is the main module's, or
  // with what the host had called.
  Outcome<Value> go_on();

  Host& host() { return host_; }
  const BuiltinTable& builtins() const { return builtins_; }
  const Limits& limits() const { return options_.limits; }
  const VmOptions& options() const { return options_; }

  // Asks the program to unwind at its next checkpoint or wait; its defers run.
  void stop(StopReason reason);
  // The same for a signal that the program may handle itself (std/signal).
  void interrupt(int signal);
  // The program has noticed an interrupt: its handlers are about to run.
  void note_interrupt() { interrupted_.store(true); }
  bool was_interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  int take_signal() { return signal_.exchange(0); }
  bool has_stop() const { return stop_.load(std::memory_order_relaxed) != StopReason::None; }
  StopReason take_stop() { return has_stop() ? stop_.exchange(StopReason::None) : StopReason::None; }

  Scheduler& scheduler() { return *scheduler_; }
  // The end of the program's own scope: drops what the top level of modules owns and the generators that variables
  // hold, cancels what tasks there are and lets them clean up. Fails with what clean-up code of a generator throws.
  // After this only new calls start new ones.
  Outcome<Value> end_tasks();
  // Any function may be called (host_calls.h), not only those that the program's own tasks reach.
  void expect_calls_from_outside();
  // What a task started by `parent` now sees of the program's variables.
  GlobalsRef globals_for_child(Task& parent, Crossing& crossing);

  // A function of the prelude. Loads the prelude on first use.
  Outcome<ClosureObject*> prelude_function(std::string_view name);

  // On whose behalf its effects happen (effects/run.h); made on first use.
  template <class Make>
  HandleObject& run(const Make& make) {
    if (HandleObject* made = run_made_.load(std::memory_order_acquire)) [[likely]]
      return *made;
    std::lock_guard lock(locals_lock_);
    if (!run_) run_ = make();
    run_made_.store(run_.get(), std::memory_order_release);
    return *run_;
  }

  // State that a family of builtins keeps per program (log level, mocked input, ...): one T per VM,
  // made on first use. Tasks share it: T guards itself.
  template <class T>
  T& local() {
    std::lock_guard lock(locals_lock_);
    auto& slot = locals_[std::type_index(typeid(T))];
    if (!slot) slot = std::shared_ptr<void>(std::make_shared<T>());
    return *static_cast<T*>(slot.get());
  }

 private:
  friend class Standstill;
  void begin(std::unique_ptr<Unit> unit, bool keep_variables);
  Outcome<Value> start(std::unique_ptr<Unit> unit, bool keep_variables);
  Outcome<Value> run_starts();
  // The start code of module `stage_`.
  Outcome<Value> run_start();
  // The library functions of one file of the prelude.
  struct PreludePart {
    std::unique_ptr<Unit> unit;
    std::unordered_map<std::string_view, ClosureObject*> functions;
  };
  Outcome<PreludePart*> load_prelude(std::string_view name);
  std::span<const uint32_t> visible_to_tasks();
  static Outcome<Value> drop_owned(Call& call);

  const BuiltinTable& builtins_;
  Host& host_;
  VmOptions options_;
  std::atomic<StopReason> stop_{StopReason::None};
  std::atomic<int> signal_{0};
  std::atomic<bool> interrupted_{false};
  std::atomic<HandleObject*> run_made_{nullptr};
  Ref<HandleObject> run_;
  Holders holders_;
  SpinLock locals_lock_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> locals_;
  std::vector<std::unique_ptr<Unit>> units_;  // kept: error traces and closures point into them
  Unit* main_ = nullptr;
  size_t stage_ = 0;  // how many of its modules have run
  SpinLock visible_lock_;
  bool is_called_from_outside_ = false;
  const Unit* visible_of_ = nullptr;  // the unit that `visible_` was found for
  std::vector<uint32_t> visible_;     // variables that child tasks see
  std::unordered_map<uint32_t, Value> presets_;
  std::vector<uint32_t> owned_;  // variables that are dropped at the end
  Mutex prelude_lock_;
  std::unordered_map<std::string, std::unique_ptr<PreludePart>> prelude_;  // by part
  std::atomic<PreludePart*> main_prelude_{nullptr};
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace harn::vm
