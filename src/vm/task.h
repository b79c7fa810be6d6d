#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "vm/clock.h"
#include "vm/environment.h"
#include "vm/error.h"
#include "vm/function.h"
#include "vm/globals.h"
#include "vm/handle.h"
#include "vm/holders.h"
#include "vm/loop_stacks.h"
#include "vm/objects.h"
#include "vm/wait.h"

// One task: a stack of its own, what it waits for, and what it owns. `spawn` gives the program a handle
// to it; see scheduler.h for how tasks run.
namespace harn::vm {

class Scheduler;
struct Worker;
struct Task;
struct Fiber;  // vm/fiber.h

// What other tasks, timers and signals may ask of a task; it looks at its next checkpoint or wait.
enum Request : uint32_t {
  kRequestStop = 1,      // unwind now: only clean-up code runs
  kRequestCancel = 2,    // the next wait throws, once; the rest is up to the task
  kRequestDeadline = 4,  // a deadline has passed
  kRequestThrow = 8,     // throw Task::thrown
};

// Waiter::number in Task::awaiting: wants to know that the task ended, not what with.
constexpr uint64_t kWatches = 1;

// Told when a task ends, on the thread the task ended on. One task may have one.
struct FinishHook {
  virtual void finished(Task& task) = 0;
  // The handle that it is part of, and that its tasks hold; null when it is somebody outside.
  virtual HandleObject* handle() { return nullptr; }

 protected:
  ~FinishHook() = default;
};

// A `deadline` block the task is in.
struct Deadline : Timer {
  Task* task = nullptr;
  Deadline* outer = nullptr;
  uint32_t children_before = 0;  // those started later are cancelled with it
  // The block: the frame it is in, and the word of its code where it begins.
  Coroutine* coroutine = nullptr;
  uint32_t frame = 0;
  uint32_t start = 0;
  std::atomic<bool> expired{false};  // stays so until the block is left
};

// What a task that waits in a builtin will do with the answer.
struct WaitingCall {
  const Builtin* row = nullptr;  // null: a for loop or a generator waits, see Coroutine::await
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t result = 0;
};

// What the effects of a task leave with it: few have any.
struct TaskEffects {
  uint64_t asked = 0;      // of a tape so far
  uint32_t draws = 0;      // of random bytes that follow from a seed
  bool is_inside = false;  // an effect that is recorded or replayed (course.h)
  bool has_random = false;
  uint64_t random[4];  // its random generator, once it has one
};

// What a task needs from its first turn until it has ended. Most tasks of a program that starts many have either not begun or
// are over, so it is apart: what one leaves is used again by the next.
struct TaskLife {
  ~TaskLife() { delete more_waiters; }
  static void* operator new(size_t size) { return allocate(size); }
  static void operator delete(void* life) { deallocate(life, sizeof(TaskLife)); }

  Coroutine root;
  CellList cells;
  std::vector<Ref<Environment>> outer_environments;  // those that wait below Task::environment, innermost last
  // What its last child got of its program's variables: plain values, and which others there were, as they were then.
  GlobalsRef given_globals;
  struct Stateful {
    uint32_t index;
    uint64_t bits;
  };
  std::vector<Stateful> given_stateful;

  WaitingCall call;
  Waiter waiter;                               // in one queue
  std::deque<Waiter>* more_waiters = nullptr;  // in several
  struct WaitTimer : Timer {
    Task* task = nullptr;
    uint64_t ticket = 0;
    Wake reason = Wake::Timeout;
  } timer;
};

struct Task : HandleObject {
  Task();
  ~Task();
  // Nobody will ask for it any more. A failure that nobody has seen is told.
  void let_go_of_result();
  // Before its first turn, and whenever somebody wants to see its parts.
  void begin_life();
  void end_life();

  // What is read of a task that is over, and what its destructor looks at, comes first: with many tasks it is not in
  // any cache.
  Scheduler* scheduler = nullptr;

  // ---- how it ended ----
  SpinLock lock;  // guards this part, `awaiting` among it
  bool finished = false;
  bool result_taken = false;
  bool stopping = false;        // it was told to unwind
  Holders* noted_in = nullptr;  // see holders.h
  Value result;
  Thrown error;
  FinishHook* hook = nullptr;

  // ---- what it runs ----
  std::unique_ptr<TaskLife> life;  // null: it has not begun, or is over
  std::unique_ptr<TaskEffects> effects;
  Deadline* deadline = nullptr;  // innermost
  Ref<HandleObject> run;         // effects/run.h; null: the VM's own
  Thrown thrown;                 // kRequestThrow
  Value entry;                   // what to call, until it starts
  std::unique_ptr<std::vector<Value>> arguments;
  GlobalsRef globals;
  // The environment (environment.h) that `globals` belong to; null: only its own were ever needed. `home` is the
  // task's own.
  Ref<Environment> environment;
  Ref<Environment> home_environment;
  bool is_away() const { return environment.get() != home_environment.get(); }
  Value context;   // dict of task-local values, or nil
  Value answer;    // Wake::Value
  Thrown failure;  // Wake::Error
  TaskEffects& own_effects() {
    if (!effects) effects = std::make_unique<TaskEffects>();
    return *effects;
  }

  // ---- who it is ----
  uint64_t id = 0;         // 0: the root task
  uint64_t parent_id = 0;  // who started it
  Task* parent = nullptr;  // whose child it is: its parent while that lives, then the root
  uint64_t group = 0;      // siblings of one `parallel`; 0: none
  uint32_t index = 0;      // among the children its parent started
  Task* first_child = nullptr;
  Task* next_sibling = nullptr;
  Task* previous_sibling = nullptr;

  // ---- where it is ----
  Worker* home = nullptr;  // where it runs, or ran last; written by whoever has it in hand
  // It waits, and the worker it ran on is through with it: whoever ends the wait may run it elsewhere.
  std::atomic<bool> has_left{false};
  Coroutine* current = nullptr;   // one of its life
  CellList* cell_list = nullptr;  // where new ones go
  // Generators that were dropped before they had ended are closed before the next instruction: their clean-up code
  // runs. The interpreter looks for them only while there are some that it could happen to.
  GeneratorObject* first_closing = nullptr;
  GeneratorObject* last_closing = nullptr;
  uint32_t watched = 0;  // generators with clean-up code that have begun and not ended
  bool is_watching = false;
  bool started = false;
  bool helps_clean_up =
      false;                 // started by one that was told to unwind: it may begin though the program is being stopped
  bool computes = false;     // it has used up its last turn without talking to others
  bool beside_root = false;  // runs in the root's place, with its variables
  bool lasts = false;        // it is not cancelled when its parent ends by itself; and it always begins, to clean up
  bool keeps_permits = false;  // the root, while it runs the statements of modules, whose scopes end with the program
  bool is_held = false;        // the root, while somebody runs in its place
  uint32_t turns_kept = 0;     // times that it did not make room for others because it held a lock
  size_t kept_permits = 0;     // how many those of `keeps_permits` hold
  uint32_t children_started = 0;
  uint32_t groups_started = 0;
  std::atomic<uint32_t> expired_deadlines{0};  // of those it is in
  bool deadline_passed = false;                // one of them, and the task knows
  std::atomic<bool> cancel_requested{false};
  std::atomic<uint32_t> requests{0};
  const char* stop_text = "kind:cancelled:VM cancelled by host";

  // ---- waiting ----
  std::atomic<uint64_t> ticket{0};      // of the wait that is on; 0: not waiting
  uint64_t tickets = 0;                 // given so far
  Fiber* fiber = nullptr;               // the stack of a builtin that waits in the middle of C++ code
  LoopStacks::Place* parted = nullptr;  // it stopped in the middle of C++ code, and goes on there: Interpreter::part
  Wake woken_by = Wake::Value;
  bool woken = false;
  // The wait was in one queue, without a time limit: whoever answered has taken it out.
  bool is_plain_wait = false;
  uint64_t looks = 0;               // how often it has looked up: checkpoints, effects, in the middle of long builtins
  const Value* waits_on = nullptr;  // an argument of the call, or the waiter's value; for reports
  const char* waits_for = nullptr;  // "receive", "sleep", ...
  Nanoseconds wait_until = 0;       // a sleep that goes on after an interruption
  uint64_t queued = 0;              // when it was put in a worker's queue
  Task* next_queued = nullptr;      // in a worker's inbox
  WaitQueue awaiting{lock};         // who waits for its end

  bool is_inside_effect() const { return effects && effects->is_inside; }
  bool is_root() const { return id == 0; }
  // Signals find the root (and what runs in its place) on the first worker, and C++ code in the middle of a
  // function may have looked up what belongs to its thread.
  bool can_move() const { return !is_root() && !beside_root && !fiber && !parted; }
  // It takes from, or gives to, other tasks: see Scheduler::measure.
  void talk();
  // The same as long as it has neither waited nor looked up.
  uint64_t moment() const { return tickets + looks; }
  // Takes the wait that `ticket` stands for; whoever succeeds must say why it ends and make it ready.
  bool claim(uint64_t which) {
    if (is_alone()) {
      if (which == 0 || ticket.load(std::memory_order_relaxed) != which) return false;
      ticket.store(0, std::memory_order_relaxed);
      return true;
    }
    return which != 0 && ticket.compare_exchange_strong(which, 0, std::memory_order_acq_rel);
  }
  // Starts a wait. Before it is entered in any queue. `on` must stay where it is until the wait ends.
  uint64_t begin_wait(const char* what, const Value* on = nullptr, bool is_plain = false) {
    has_left.store(false, std::memory_order_relaxed);
    is_plain_wait = is_plain;
    waits_for = what;
    waits_on = on;
    ticket.store(++tickets, std::memory_order_release);
    return tickets;
  }
  // Starts a wait in one queue, whose lock is held. `on` and `is_plain` as for begin_wait.
  uint64_t wait_in(WaitQueue& queue, const char* what, const Value* on = nullptr, uint64_t number = 0,
                   bool is_plain = false) {
    Waiter& waiter = life->waiter;
    waiter.task = this;
    waiter.ticket = begin_wait(what, on, is_plain);
    waiter.number = number;
    queue.push(waiter);
    return waiter.ticket;
  }
  // Leaves all queues and the clock, whatever ended the wait.
  void end_wait();
};

extern const HandleType kTaskType;
// The wait is claimed before the waiter leaves the queue: a task that was woken by something else finds
// itself in the queue and waits for the lock, so its waiter is not reused under our hands.
inline Waiter* WaitQueue::take() {
  while (Waiter* waiter = front()) {
    bool won = waiter->task->claim(waiter->ticket);
    remove(*waiter);
    if (won) return waiter;
  }
  return nullptr;
}

inline Task* as_task(const Value& value) { return as_handle<Task>(value, kTaskType); }
inline Value task_value(Task& task) { return Value::share(&task); }

// "task_root", "vm_task_1", "vm_task_5f3a...": the same in every run.
std::string task_id_text(uint64_t id);
uint64_t child_id(uint64_t parent, uint32_t index);

}  // namespace harn::vm
