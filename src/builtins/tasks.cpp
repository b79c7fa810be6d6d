// spawn, await, cancellation, deadlines and what a task knows about itself.
#include <mutex>

#include "base/result.h"
#include "builtins/families.h"
#include "effects/clock.h"
#include "builtins/sleep.h"
#include "vm/scheduler.h"
#include "vm/sync.h"
#include "vm/trace.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

Outcome<Value> spawn(Call& call) {
  Task& parent = Scheduler::current();
  Luggage luggage = HARN_TRY(pack(parent, call.arg(0)));
  return Value(parent.scheduler->spawn(parent, std::move(luggage)));
}

Outcome<Value> spawn_lasting(Call& call) {
  Task& parent = Scheduler::current();
  Luggage luggage = HARN_TRY(pack(parent, call.arg(0)));
  return Value(parent.scheduler->spawn(parent, std::move(luggage), {.lasts = true}));
}

Step await(WaitCall& call) {
  Task* task = as_task(call.arg(0));
  if (!task) return call.done(call.take(0));
  if (task == &call.task()) return call.fail(runtime_error("await: a task cannot wait for itself"));
  std::lock_guard lock(task->lock);
  if (task->finished) {
    if (std::exchange(task->result_taken, true) || task->stopping) return call.done({});
    if (!task->error) return call.done(std::move(task->result));
    note_task(*task->error, task->id);
    return call.fail(std::move(task->error));
  }
  call.task().wait_in(task->awaiting, "await", &call.arg(0));
  return Step::Parked;
}

// Parks until the task has ended; true, or nil when the time was over first.
Step wait_for_end(WaitCall& call, Task& task, Nanoseconds due) {
  std::lock_guard lock(task.lock);
  if (task.finished) return call.done(Value::boolean(true));
  Task& waiting = call.task();
  uint64_t ticket = waiting.wait_in(task.awaiting, "cancel", &call.arg(0), kWatches);
  if (due != kNever) call.scheduler().set_timeout(waiting, ticket, due);
  return Step::Parked;
}

Step cancel(WaitCall& call) {
  Task* task = as_task(call.arg(0));
  if (!task) return call.fail(type_error("cancel: expected a task handle, got {}", type_name(call.arg(0))));
  if (!call.is_retry()) call.scheduler().cancel(*task, true);
  // A task that cancels itself waits for its own end too: the request ends the wait at once.
  if (task != &call.task()) {
    std::lock_guard lock(task->lock);
    task->result_taken = true;  // whoever cancels does not want to know
  }
  return wait_for_end(call, *task, kNever);
}

Outcome<Value> request_cancel(Call& call) {
  Task* task = as_task(call.arg(0));
  if (!task) return type_error("cancel_graceful: expected a task handle, got {}", type_name(call.arg(0)));
  std::unique_lock lock(task->lock);
  if (task->finished) return Value::boolean(false);
  lock.unlock();
  task->scheduler->cancel(*task, false);
  return Value::boolean(true);
}

Step task_wait(WaitCall& call) { return wait_for_end(call, *as_task(call.arg(0)), wait_due(call, 1)); }

Outcome<Value> is_cancelled(Call&) {
  return Value::boolean(Scheduler::current().cancel_requested.load(std::memory_order_relaxed));
}

// ---- deadlines, scopes ----

Outcome<Value> deadline_begin(Call& call) {
  constexpr int64_t kDefault = 30'000;
  int64_t ms = call.arg(0).is_int() ? std::max<int64_t>(0, call.arg(0).as_int()) : kDefault;
  Task& task = Scheduler::current();
  // The block begins behind this call: the VM tells clean-up code inside it from clean-up code around it.
  const Coroutine& running = *task.current;
  uint32_t start = running.frames[running.frame_count - 1].next_word();
  task.scheduler->push_deadline(task, due_in(*task.scheduler, ms), start);
  return Value();
}

Outcome<Value> deadline_check(Call&) {
  Task& task = Scheduler::current();
  if (task.scheduler->is_deadline_over(task)) return throw_text(ErrorKind::Timeout, "Deadline exceeded");
  return Value();
}

Outcome<Value> deadline_end(Call&) {
  Task& task = Scheduler::current();
  task.scheduler->pop_deadline(task);
  return Value();
}

Outcome<Value> permits_held(Call&) {
  const auto& permits = Scheduler::current().current->permits;
  return Value::integer(permits ? static_cast<int64_t>(permits->size()) : 0);
}

Outcome<Value> permits_release(Call& call) {
  release_permits(*Scheduler::current().current, static_cast<size_t>(call.arg(0).as_int()));
  return Value();
}

// ---- time ----

Step sleep(WaitCall& call) {
  // An interrupted sleep goes on to the time it was meant for.
  if (!call.is_retry()) {
    const Value& time = call.arg(0);
    if (!time.is_int() && !time.is_float()) return call.done({});
    auto leave =
        effects::perform(effects::Run::current(call.vm()), effects::Sleep{static_cast<int64_t>(time.as_number())});
    if (!leave) return call.fail(std::move(leave).error());
    Nanoseconds due = time.is_float()
                          ? call.scheduler().clock().now() + static_cast<Nanoseconds>(time.as_float() * kMillisecond)
                          : due_in(call.scheduler(), time.as_int());
    if (time.as_number() <= 0) return call.done({});
    plan_sleep(call, due);
  }
  return go_to_sleep(call, "sleep");
}

constinit const Builtin kRows[] = {
    {.name = "__spawn", .signature = "<T>(body: fn() -> T) -> task<T>", .doc = "Starts a task.", .call = spawn},
    {.name = "__spawn_lasting",
     .signature = "<T>(body: fn() -> T) -> task<T>",
     .doc = "Starts a task that outlives the one that starts it, if that ends by itself; it then belongs to whoever "
            "has started that.",
     .call = spawn_lasting},
    {.name = "await",
     .signature = "<T>(task: task<T> | T) -> T",
     .doc = "Waits for a task and gives its result, or throws its error; a second time gives nil.",
     .example = "await(spawn { 1 + 1 }) == 2",
     .wait = await},
    {.name = "cancel",
     .signature = "(task: task) -> nil",
     .doc = "Stops a task: it unwinds at once, running its defers, and this returns when it has ended.",
     .example = "cancel(spawn { sleep(60000) }) == nil",
     .prelude = "task_cancel"},
    {.name = "__cancel",
     .signature = "(task: any) -> any",
     .doc = "cancel, with what it waited for as its value.",
     .wait = cancel},
    {.name = "cancel_graceful",
     .signature = "<T>(task: task<T>, timeout?: duration) -> Result<T, string>",
     .doc = "Asks a task to end, waits, and stops it when the time (5 s) is over: Ok(result) or Err(text).",
     .example = "unwrap_err(cancel_graceful(spawn { sleep(60000) }, 1000)) == \"kind:cancelled:VM cancelled by host\"",
     .prelude = "task_cancel_graceful"},
    {.name = "__task_request",
     .signature = "(task: any) -> bool",
     .doc = "Asks a task to end; false when it has.",
     .call = request_cancel},
    {.name = "__task_wait",
     .signature = "(task: any, timeout: any) -> any",
     .doc = "Waits for the end of a task.",
     .wait = task_wait},
    {.name = "is_cancelled",
     .signature = "() -> bool",
     .doc = "Whether this task has been asked to end.",
     .example = "is_cancelled() == false",
     .call = is_cancelled},
    {.name = "__deadline_begin",
     .signature = "(ms: any) -> nil",
     .doc = "Enters a deadline block.",
     .call = deadline_begin},
    {.name = "__deadline_check",
     .signature = "() -> nil",
     .doc = "Throws when the time of the block is over.",
     .call = deadline_check},
    {.name = "__deadline_end", .signature = "() -> nil", .doc = "Leaves a deadline block.", .call = deadline_end},
    {.name = "__permits_held",
     .signature = "() -> int",
     .doc = "How many permits the task's scopes hold.",
     .call = permits_held},
    {.name = "__permits_release",
     .signature = "(keep: int) -> nil",
     .doc = "Gives back permits.",
     .call = permits_release},
    {.name = "sleep",
     .signature = "(ms: any) -> nil",
     .doc = "Waits for some milliseconds; other tasks run meanwhile.",
     .example = "sleep(1) == nil",
     .needs = Capability::ClockSleep,
     .wait = sleep},
};

}  // namespace

std::span<const Builtin> task_rows() { return kRows; }

}  // namespace harn::builtins
