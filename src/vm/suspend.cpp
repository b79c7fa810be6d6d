// Where a task stops and goes on: its start, checkpoints, waits, and what was asked of it meanwhile.
#include "base/assert.h"
#include "base/mutex.h"
#include "vm/channel.h"
#include "vm/course.h"
#include "vm/fiber.h"
#include "vm/cycles.h"
#include "vm/interpreter.h"
#include "vm/memory.h"
#include "vm/ops.h"
#include "vm/scheduler.h"
#include "vm/step_limits.h"
#include "vm/vm.h"

namespace harn::vm {

using Status = Interpreter::Status;

Pace& Interpreter::pace_of(Worker* worker) {
  static constinit thread_local Pace own;
  return worker ? worker->pace : own;
}

// What may be thrown before the loop runs (see the end of it) is an error of the task, too.
template <class Begin>
Status Interpreter::guarded(Begin begin) {
  try {
    return begin();
  } catch (Stopped& stopped) {
    error_ = std::move(stopped.error);
  } catch (const std::exception&) {
    error_ = error_of_exception();
  }
  return Status::Failed;
}

Interpreter::Ran Interpreter::resume() {
  co_ = task_->current;
  Status status = Status::Done;
  if (!task_->started) {
    task_->started = true;
    status = guarded([this] { return begin(); });
    if (status == Status::Done) {
      if (!task_->first_closing) return finished(std::move(task_->life->root.stack[0]));
      task_->is_watching = true;
      start_closing();
      status = Status::Failed;
    }
    if (status == Status::Failed && (!co_ || co_->frame_count == 0)) {
      task_->error = std::move(error_);
      return Ran::Finished;
    }
  } else {
    use_cells(task_->cell_list);
    if (task_->woken && !deliver_answer()) status = guarded([this] { return deliver_wake(); });
  }
  if (status == Status::Parked) return Ran::Parked;
  failed_ = status == Status::Failed;
  for (;;) {
    Ran ran = task_->is_watching ? run<true>() : run<false>();
    if (ran != Ran::Again) return ran;
  }
}

Status Interpreter::begin() {
  task_->begin_life();
  co_ = task_->current;
  use_cells(task_->cell_list);
  if (!task_->is_root() && !task_->beside_root && task_->scheduler->is_stopping(*task_)) {
    task_->requests.fetch_or(kRequestStop);
  }
  if (!task_->lasts && take_requests(false) == Status::Failed) return Status::Failed;
  Coroutine& root = task_->life->root;
  auto arguments = std::move(task_->arguments);
  auto count = arguments ? static_cast<uint32_t>(arguments->size()) : 0;
  if (root.stack_size < count + 2) root.grow_stack(count + 2);
  for (uint32_t i = 0; i < count; ++i) root.stack[i + 1] = std::move((*arguments)[i]);
  root.stack[0] = std::move(task_->entry);  // keeps it alive
  for (uint32_t i = 0; i <= count; ++i) adopt_cells(root.stack[i]);
  if (task_->globals && !task_->globals->is_shared() && has_travelling_cells.load(std::memory_order_relaxed)) {
    for (uint32_t i = 0; i < task_->globals->count; ++i) adopt_cells(task_->globals->values()[i]);
  }
  return call_value(Value(root.stack[0]), 1, count, 0, false);
}

Status Interpreter::switch_task() {
  for (;;) {
    Task* next = worker_->scheduler.take_ready(*worker_);
    if (!next) return Status::Parked;
    if (next != task_) let_go(*task_);
    task_ = next;
    co_ = next->current;
    use_cells(next->cell_list);
    Status status = next->woken && !deliver_answer() ? deliver_wake() : Status::Done;
    if (status != Status::Parked) return status;
  }
}

// ---- what was asked of the task ----

Status Interpreter::take_requests(bool in_wait) {
  uint32_t wanted = task_->requests.load(std::memory_order_acquire);
  if (wanted == 0 && !task_->deadline_passed) [[likely]]
    return Status::Done;
  if (wanted & kRequestStop) {
    task_->requests.fetch_and(~uint32_t{kRequestStop | kRequestCancel});
    task_->stopping = true;
    return fail(make_error_text(ErrorClass::Cancelled, ErrorKind::Cancelled, task_->stop_text));
  }
  if (wanted & kRequestThrow) {
    task_->requests.fetch_and(~uint32_t{kRequestThrow});
    return fail(std::unexpected(std::move(task_->thrown)));
  }
  if (wanted & kRequestDeadline) {
    task_->requests.fetch_and(~uint32_t{kRequestDeadline});
    task_->deadline_passed = true;
  }
  if (task_->deadline_passed) {
    if (Deadline* passed = passed_deadline()) {
      task_->scheduler->cancel_children(*task_, passed->children_before);
      return fail(throw_text(ErrorKind::Timeout, "Deadline exceeded"));
    }
  }
  // A polite request is heard where the task waits; code that computes asks is_cancelled().
  if ((wanted & kRequestCancel) && in_wait) {
    task_->requests.fetch_and(~uint32_t{kRequestCancel});
    return fail(throw_text(ErrorKind::Cancelled, "kind:cancelled:VM cancelled by host"));
  }
  return Status::Done;
}

// ---- deadlines ----

void Interpreter::mark_block(Deadline& deadline) const {
  deadline.coroutine = co_;
  deadline.frame = co_->frame_count;
}

bool Interpreter::is_block_of_frame(const Deadline& deadline) const {
  return deadline.coroutine == co_ && deadline.frame == co_->frame_count;
}

// Whether the frame is in clean-up code that begins after `start`.
static bool is_in_cleanup(const Frame& frame, uint32_t start) {
  uint32_t at = frame.at();
  for (const bytecode::Handler& handler : frame.proto->code->handlers) {
    if (handler.cleanup && handler.target >= start && at >= handler.target && at < handler.cleanup_end) return true;
  }
  return false;
}

// The innermost frame that runs clean-up code, or nothing.
Interpreter::FramePlace Interpreter::cleanup_place() const {
  for (const Coroutine* at = co_; at; at = at->resumer) {
    for (uint32_t i = at->frame_count; i > 0; --i) {
      if (is_in_cleanup(at->frames[i - 1], 0)) return {at, i};
    }
  }
  return {};
}

// Whether the running code is in the block and not in clean-up code inside it, which may finish.
bool Interpreter::must_leave(const Deadline& deadline, const FramePlace& cleanup) const {
  const Coroutine* at = co_;
  while (at && at != deadline.coroutine && at != cleanup.coroutine) at = at->resumer;
  if (at != deadline.coroutine) return false;  // a generator has stopped inside the block, or clean-up code is
  if (at != cleanup.coroutine || deadline.frame > cleanup.frame) return true;
  return deadline.frame == cleanup.frame && !is_in_cleanup(at->frames[cleanup.frame - 1], deadline.start);
}

// The outermost deadline that has passed and whose block has to be left.
Deadline* Interpreter::passed_deadline() const {
  Deadline* outermost = nullptr;
  FramePlace cleanup = cleanup_place();
  for (Deadline* at = task_->deadline; at; at = at->outer) {
    if (at->expired.load() && must_leave(*at, cleanup)) outermost = at;
  }
  return outermost;
}

// ---- in the middle of C++ code ----

void Interpreter::look_up() {
  task_->scheduler->attend();
  if (take_requests(false) == Status::Failed) throw Stopped{std::move(error_)};
  if (worker_->ready.size() != 0 || worker_->inbox.load(std::memory_order_relaxed)) give_way();
}

void Interpreter::take_stop() {
  task_->scheduler->attend();
  if (take_requests(false) == Status::Failed) throw Stopped{std::move(error_)};
}

void Interpreter::end_turn() {
  if (Course* course = task_->scheduler->course()) course->pass();
  bool others = task_->scheduler->poll();
  if (take_requests(false) == Status::Failed) throw Stopped{std::move(error_)};
  if (others) give_way();
}

// A fiber is a stack of its own, which the worker's loop cannot be left for.
bool Interpreter::can_part() { return undivided == 0 && !task_->fiber && worker_->stacks.can_part(); }

void Interpreter::give_way() {
  if (!can_part()) return;
  task_->scheduler->push_ready(*worker_, *task_);
  part();
  if (task_->scheduler->course()) begin_pace(*worker_);
  if (take_requests(false) == Status::Failed) throw Stopped{std::move(error_)};
}

void Interpreter::part() {
  let_others_in();
  HARN_ASSERT(holds_no_lock(), "other tasks would wait for the lock");
  LoopStacks::Place place;
  task_->parted = &place;
  worker_->running = nullptr;
  Interpreter* innermost = std::exchange(worker_->interpreter, nullptr);
  int depth = std::exchange(set_depth, 0);
  worker_->stacks.part(place);
  set_depth = depth;
  worker_->interpreter = innermost;
  worker_->running = task_;
  use_cells(task_->cell_list);
}

Wake Interpreter::wait() {
  // A polite request is for the places where a program waits.
  if (!must_stop_waiting(~uint32_t{kRequestCancel}) || !task_->claim(task_->ticket.load())) part();
  else task_->woken_by = Wake::Cancelled;
  task_->woken = false;
  Wake reason = task_->woken_by;
  task_->end_wait();
  if (reason == Wake::Error) throw Stopped{std::move(task_->failure)};
  if (reason != Wake::Cancelled && reason != Wake::Deadline) return reason;
  if (take_requests(false) == Status::Failed) throw Stopped{std::move(error_)};
  return Wake::Retry;
}

// ---- checkpoints ----

Status Interpreter::checkpoint() {
  constexpr size_t kSome = 4'000;
  if (has_remains) [[unlikely]]
    work_off_remains(kSome);
  Course* course = task_->scheduler->course();
  if (course) course->pass();
  bool others = task_->scheduler->poll();
  if (take_requests(false) == Status::Failed) return Status::Failed;
  if (vm_.local<StepLimits>().take_turn(task_)) [[unlikely]]
    return fail(throw_text(ErrorKind::Limit, "too many steps"));
  if (!others) return Status::Done;
  if (course) return Status::Parked;  // who else is there depends on the world
  // If it stopped while it holds a lock, the others would queue up for that, and go on doing so: a lock that is
  // given to the next in line is never free. So it may leave the block first.
  constexpr uint32_t kMostTurns = 8;
  bool holds = co_->permits && co_->permits->size() != 0;
  if (holds && ++task_->turns_kept < kMostTurns) return Status::Done;
  task_->turns_kept = 0;
  return Status::Parked;
}

// ---- waiting ----

// An exception may leave the function after the task has entered a queue: the task leaves that first. When somebody
// has ended the wait by then, the task is on its way to a worker's queue and goes on from there.
static Step start_wait(const Builtin& row, WaitCall& call, Task& task) {
  uint64_t before = task.tickets;
  try {
    return row.wait(call);
  } catch (...) {
    if (task.tickets == before) throw;
    if (!task.claim(task.ticket.load())) return Step::Parked;
    task.woken_by = Wake::Cancelled;
    task.end_wait();
    throw;
  }
}

Status Interpreter::call_wait(const Builtin& row, uint32_t first, uint32_t count, uint32_t result, bool is_retry) {
  WaitCall call(vm_, row, co_->stack + first, count, *task_, is_retry);
  switch (start_wait(row, call, *task_)) {
    case Step::Failed: return fail(std::unexpected(std::move(call.error)));
    case Step::Done:
      for (uint32_t i = 0; i < count; ++i) co_->stack[first + i].set_nil();
      co_->stack[result] = std::move(call.result);
      settle_cells(co_->stack[result]);
      // Where moments are counted this is none, and a stop is heard at the next.
      if (!vm_.has_stop() || task_->scheduler->course()) [[likely]]
        return Status::Done;
      task_->scheduler->poll();
      return take_requests(false);
    case Step::Parked: break;
  }
  task_->life->call = {&row, first, count, result};
  return after_parking();
}

// A builtin on a fiber was told to stop and waits once more, for its clean-up: what is asked of the task
// meanwhile is heard afterwards.
static bool is_cleaning_up(const Task& task) { return task.fiber && task.fiber->stop; }

// Something may have been asked of the task before it entered its queues: then nobody else will wake it for that.
bool Interpreter::must_stop_waiting(uint32_t heard) const {
  uint32_t wanted = task_->requests.load(std::memory_order_seq_cst) & heard;
  return wanted != 0 || (task_->deadline_passed && passed_deadline());
}

Status Interpreter::after_parking() {
  if (!must_stop_waiting(~0u) || is_cleaning_up(*task_) || !task_->claim(task_->ticket.load())) return Status::Parked;
  task_->woken_by = Wake::Cancelled;
  task_->woken = true;
  return deliver_wake();
}

bool Interpreter::deliver_answer() {
  const WaitingCall& call = task_->life->call;
  if (task_->woken_by != Wake::Value || !task_->is_plain_wait) return false;
  task_->woken = false;
  Value* args = co_->stack + call.first;
  for (uint32_t i = 1; i < call.count; ++i) args[i].set_nil();
  if (call.result != call.first && call.count > 0) args[0].set_nil();
  co_->stack[call.result] = std::move(task_->answer);
  settle_cells(co_->stack[call.result]);
  task_->life->call.row = nullptr;
  return true;
}

Status Interpreter::deliver_wake() {
  task_->woken = false;
  Wake reason = task_->woken_by;
  task_->end_wait();
  WaitingCall call = task_->life->call;
  if (reason == Wake::Cancelled || reason == Wake::Deadline) {
    // Otherwise it was meant for a deadline that is over: the wait goes on.
    bool must_stop = !is_cleaning_up(*task_) && take_requests(true) == Status::Failed;
    if (must_stop && !task_->fiber) {
      task_->life->call = {};
      return Status::Failed;
    }
    // C++ code that waits is let go on first, so that it gives back what it holds.
    if (must_stop) task_->fiber->stop = std::move(error_);
    reason = must_stop ? Wake::Cancelled : Wake::Retry;
  }
  if (task_->fiber) {
    if (reason == Wake::Error) {
      task_->fiber->stop = std::move(task_->failure);
      reason = Wake::Cancelled;
    }
    task_->fiber->woken_by = reason;
    return call_wait(*call.row, call.first, call.count, call.result, true);
  }
  if (call.row && reason == Wake::Retry) {
    task_->woken_by = Wake::Retry;
    return call_wait(*call.row, call.first, call.count, call.result, true);
  }
  task_->life->call = {};
  if (reason == Wake::Error) return fail(std::unexpected(std::move(task_->failure)));
  if (!call.row) {
    // A loop over a channel.
    settle_cells(task_->answer);
    deliver(std::move(task_->answer), reason == Wake::Closed);
    return Status::Entered;
  }
  if (reason == Wake::Closed) return fail(channel_closed(call.row->name));
  for (uint32_t i = 0; i < call.count; ++i) co_->stack[call.first + i].set_nil();
  co_->stack[call.result] = reason == Wake::Value ? std::move(task_->answer) : Value();
  settle_cells(co_->stack[call.result]);
  return Status::Entered;
}

// The next item of a channel for a loop.
Status Interpreter::handle_next(const Value& source, IterObject* iter, Value& item, bool& more) {
  co_->await = Coroutine::Await::ForLoop;
  co_->await_iter = iter;
  task_->life->call = {};
  switch (channel_receive(*task_, source, item)) {
    case Received::Value:
      more = true;
      settle_cells(item);
      return Status::Done;
    case Received::Closed: return Status::Done;
    case Received::Parked: break;
  }
  return after_parking();
}

Scheduler& WaitCall::scheduler() { return *task_.scheduler; }

}  // namespace harn::vm
