#include "vm/fiber.h"

#include <mutex>
#include <optional>

#include "base/assert.h"
#include "vm/course.h"
#include "vm/interpreter.h"
#include "vm/memory.h"
#include "vm/pace.h"
#include "vm/scheduler.h"
#include "vm/standstill.h"

namespace harn::vm {

namespace {

// A stack is two mappings, and a process may have 65,530: more tasks than this wait for their turn.
constexpr size_t kMostFibers = 20'000;

// Tasks that wait for a fiber.
struct Turnstile {
  SpinLock lock;
  size_t inside = 0;
  WaitQueue waiting{lock};

  static Turnstile& get() {
    static auto* instance = new Turnstile;  // never destroyed: workers may outlive main
    return *instance;
  }

  // False: the task is in the queue and will ask again.
  bool enter(Task& task) {
    std::lock_guard guard(lock);
    if (inside < kMostFibers) {
      ++inside;
      return true;
    }
    task.life->waiter.task = &task;
    task.life->waiter.ticket = task.begin_wait("the queue for operations");
    waiting.push(task.life->waiter);
    return false;
  }

  void leave() {
    std::lock_guard guard(lock);
    --inside;
    if (Waiter* waiter = waiting.take()) waiter->task->scheduler->go_on(*waiter->task, Wake::Retry);
  }
};

void fiber_main(void* argument) {
  auto& fiber = *static_cast<Fiber*>(argument);
  // Nothing may be thrown past the end of the fiber's stack.
  try {
    fiber.outcome = fiber.function(fiber.call);
  } catch (Stopped& stopped) {
    fiber.outcome = std::unexpected(std::move(stopped.error));
  } catch (const std::exception&) {
    fiber.outcome = std::unexpected(error_of_exception());
  }
}

// From its first task on, or never: by whoever wants to put the program away (Scheduler::stand_still_at).
bool is_counted(const Task& task) { return task.home->counts_waits.load(std::memory_order_relaxed); }

Step start(WaitCall& call, NativeFunction function) {
  Task& task = call.task();
  if (!Turnstile::get().enter(task)) return Step::Parked;
  auto* fiber = new Fiber(function, call);
  fiber->stack = FiberStack::take(fiber_main, fiber);
  if (!fiber->stack) {
    delete fiber;
    Turnstile::get().leave();
    return call.fail(runtime_error(ErrorKind::Limit, "{}: no memory for another operation", call.row().name));
  }
  task.fiber = fiber;
  if (is_counted(task)) ++task.scheduler->vm().local<Patience>().fibers;
  return Step::Done;
}

Step finish(WaitCall& call) {
  std::unique_ptr<Fiber> fiber(std::exchange(call.task().fiber, nullptr));
  if (Course* course = call.scheduler().course()) course->has_come_further = true;
  if (is_counted(call.task())) --call.task().scheduler->vm().local<Patience>().fibers;
  FiberStack::give_back(fiber->stack);
  Turnstile::get().leave();
  if (fiber->stop) return call.fail(std::move(fiber->stop));
  if (!fiber->outcome) return call.fail(std::move(fiber->outcome).error());
  return call.done(std::move(*fiber->outcome));
}

// Hands the worker back until the task is woken.
Wake park(Task& task) {
  if (!task.fiber) return task.home->interpreter->wait();
  HARN_ASSERT(holds_no_lock(), "other tasks would wait for the lock");
  task.fiber->stack->pause();
  return task.fiber->woken_by;
}

// Something outside is under way.
class Outside {
 public:
  explicit Outside(Scheduler& scheduler) : scheduler_(scheduler) { scheduler_.external_begin(); }
  ~Outside() { scheduler_.external_end(); }
  Outside(const Outside&) = delete;

 private:
  Scheduler& scheduler_;
};

}  // namespace

Step run_on_fiber(WaitCall& call, NativeFunction function) {
  Task& task = call.task();
  if (!task.fiber) {
    Step step = start(call, function);
    if (step != Step::Done) return step;
  }
  return task.fiber->stack->resume() ? finish(call) : Step::Parked;
}

Wake Completion::wait(const char* what, Value on, Nanoseconds due) {
  Task& task = Scheduler::current();
  std::optional<Outside> outside;
  if (by_ == By::Outside) outside.emplace(*task.scheduler);
  for (;;) {
    uint64_t ticket;
    {
      std::lock_guard guard(lock_);
      if (finished_) return Wake::Value;
      task_ = &task;
      ticket_ = ticket = task.begin_wait(what, &on);
    }
    // With the lock: `finish` has let go of the task and its scheduler.
    struct Leave {
      Completion& self;
      ~Leave() {
        std::lock_guard guard(self.lock_);
        self.ticket_ = 0;
      }
    } leave{*this};
    if (due != kNever) task.scheduler->set_timeout(task, ticket, due);
    Wake why = park(task);
    if (why != Wake::Retry) return why;
  }
}

bool Completion::may_wait() {
  Worker* worker = this_worker;
  if (!worker || !worker->interpreter) return false;
  // With one worker the order of events must not depend on how long other threads take.
  Scheduler& scheduler = worker->scheduler;
  return scheduler.worker_limit() > 1 && scheduler.live_tasks() > 0 && worker->interpreter->can_part();
}

void Completion::finish() {
  std::lock_guard guard(lock_);
  finished_ = true;
  if (ticket_ != 0) task_->scheduler->wake(*task_, ticket_, Wake::Value);
}

Wake fiber_sleep(const char* what, Nanoseconds due) {
  Task& task = Scheduler::current();
  Wake why = Wake::Retry;
  while (why == Wake::Retry) {
    task.scheduler->set_timeout(task, task.begin_wait(what), due);
    why = park(task);
  }
  return why;
}

bool can_park() {
  Worker* worker = this_worker;
  if (!worker || !worker->interpreter || worker->scheduler.worker_limit() > 1) return false;
  return worker->running->fiber || worker->interpreter->can_part();
}

Wake park_here() { return park(Scheduler::current()); }

std::unexpected<Thrown> stopped_error() {
  return throw_text(ErrorKind::Cancelled, "kind:cancelled:VM cancelled by host");
}

}  // namespace harn::vm
