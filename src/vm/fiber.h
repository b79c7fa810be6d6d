#pragma once

#include "vm/builtin.h"
#include "vm/fiber_stack.h"
#include "vm/task.h"

// Blocking C++ code in tasks. A builtin whose row says `.wait = on_fiber<function>` is an ordinary
// function that may wait in the middle: it runs on a stack of its own, and while it waits the worker runs
// other tasks. docs/internals/effects.md shows one from top to bottom.
namespace harn::vm {

// A builtin that runs, or waits, on a stack of its own. Belongs to its task.
struct Fiber {
  Fiber(NativeFunction function, const Call& call) : function(function), call(call) {}

  NativeFunction function;
  Call call;  // the arguments stay in the task's registers, which do not move while it waits
  Outcome<Value> outcome;
  FiberStack* stack = nullptr;
  Wake woken_by = Wake::Value;  // why the last wait ended
  Thrown stop;                  // the task was told to stop: what it unwinds with once the function has returned
};

// Starts the function on a fiber, or goes on with it after a wait.
Step run_on_fiber(WaitCall& call, NativeFunction function);

template <NativeFunction Function>
Step on_fiber(WaitCall& call) {
  return run_on_fiber(call, Function);
}

// The end of something outside that a fiber waits for. Shared with whoever finishes it: both sides hold
// the object that contains it, since a wait may end before.
class Completion {
 public:
  // Who may finish it. Something outside that is under way keeps a program from being stuck; of other tasks of the program the
  // one who looks for deadlocks knows.
  enum class By : uint8_t { Outside, Tasks };
  // Another thread may finish it: locks must count from now on.
  explicit Completion(By by = By::Outside) : by_(by) { several_threads = true; }
  // On a fiber: parks the task until `finish` was called (Wake::Value), the time is over (Wake::Timeout)
  // or the task is told to stop (Wake::Cancelled). After that the function should make the operation
  // end, may wait for it once more (nothing but the time interrupts that), and returns; what it returns
  // does not matter, the task unwinds with the reason it was stopped for.
  // Elsewhere it can be called where `may_wait`, and leaves by `Stopped` when the task is told to stop.
  Wake wait(const char* what, Value on = {}, Nanoseconds due = kNever);
  // On any thread, once.
  void finish();

  // Whether the running task can wait where it is, and there are others that could use the worker.
  static bool may_wait();

 private:
  SpinLock lock_;
  By by_;
  bool finished_ = false;
  Task* task_ = nullptr;  // while it waits
  uint64_t ticket_ = 0;
};

// On a fiber: Wake::Timeout when the time has come, Wake::Cancelled when the task is told to stop.
Wake fiber_sleep(const char* what, Nanoseconds due);

// With one worker: whether the running task can wait where it is, and the wait for whoever has the ticket of its
// `begin_wait`.
bool can_park();
Wake park_here();

// What a function returns after Wake::Cancelled.
std::unexpected<Thrown> stopped_error();

}  // namespace harn::vm
