#include "vm/scheduler.h"

#include <signal.h>

#include <algorithm>

#include "vm/course.h"
#include "vm/interpreter.h"
#include "vm/memory.h"
#include "vm/host_calls.h"
#include "vm/sync.h"
#include "vm/trace.h"
#include "vm/standstill.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

namespace {

// How long tasks may clean up when the program ends.
constexpr Nanoseconds kEndingTime = 2'000 * kMillisecond;

}  // namespace

// ---- life ----

void Scheduler::loop_until(Until until) {
  until_ = until;
  Worker& worker = *workers_[0];
  if (!is_over(worker)) worker.stacks.run();
}

Scheduler::Scheduler(Vm& vm, unsigned workers)
    : vm_(vm),
      worker_limit_(std::max(1u, workers)),
      host_watches_(vm.host().watches_tasks()),
      clock_(vm.host()),
      locks_(std::make_unique<Locks>(*this)) {
  root_ = new_handle<Task>(kTaskType);
  root_->scheduler = this;
  root_->begin_life();
  // The vector never grows later: thieves read it without a lock.
  for (unsigned i = 0; i < worker_limit_; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
  root_->home = workers_[0].get();
}

Scheduler::~Scheduler() {
  stop_monitor();
  stop_helpers();
}

Task& Scheduler::current() { return *this_worker->running; }

Outcome<Value> Scheduler::run_root(const Value& callee, std::span<const Value> args) {
  Worker& worker = *workers_[0];
  Task& root = *root_;
  Worker* outer = std::exchange(this_worker, &worker);
  time_is_up_ = false;
  stopping_ = false;
  root.started = false;
  root.finished = false;
  root.stopping = false;
  root.entry = callee;
  root.arguments = std::make_unique<std::vector<Value>>(args.begin(), args.end());
  poll();
  push_ready(worker, root);
  // As long as it is alone it needs no other stack than this one.
  if (live_tasks() == 0) run_task(worker, *next_task(worker));
  auto outcome = run_until_root_ends();
  this_worker = outer;
  return outcome;
}

Outcome<Value> Scheduler::run_until_root_ends() {
  loop_until(Until::RootEnds);
  drop_credits();
  if (stands_still()) {
    stop_helpers();
    return Value();
  }
  if (root_->error) return std::unexpected(std::move(root_->error));
  return std::move(root_->result);
}

Outcome<Value> Scheduler::go_on_with_root() {
  Worker* outer = std::exchange(this_worker, workers_[0].get());
  stands_still_ = false;
  poll();
  auto outcome = run_until_root_ends();
  this_worker = outer;
  return outcome;
}

// ---- standing still ----

void Scheduler::stand_still_at(uint64_t wait) {
  waits_left_ = wait;
  if (wait == 0 && vm_.local<Patience>().has_begun) clock_.remove(vm_.local<Patience>());
  for (auto& worker : workers_) worker->counts_waits.store(wait != 0, std::memory_order_relaxed);
}

void Scheduler::note_wait() {
  // Waits of tasks that clean up when the program ends do not count: there is nothing left to go on with.
  if (until_ != Until::RootEnds || root_->finished || waits_left_.fetch_sub(1) != 1) return;
  if (Standstill(vm_).waits_for_effects()) {
    waits_left_ = 1;
    return;
  }
  stands_still_.store(true, std::memory_order_release);
  raise_all();
  poke();
}

// Generators that run in each other, and those that wait to be closed: each counts as one that holds it.
static std::vector<Ref<GeneratorObject>> take_generators(Task& task) {
  std::vector<Ref<GeneratorObject>> taken;
  auto take_chain = [&](GeneratorObject* first) {
    for (GeneratorObject* at = first; at; at = at->coroutine->next_closing) {
      taken.push_back(Ref<GeneratorObject>::adopt(at));
    }
  };
  for (Coroutine* at = task.current; at != &task.life->root; at = at->resumer) {
    taken.push_back(Ref<GeneratorObject>::adopt(at->generator));
    if (at->is_closing) take_chain(at->next_closing);
  }
  take_chain(std::exchange(task.first_closing, nullptr));
  task.last_closing = nullptr;
  task.current = &task.life->root;
  return taken;
}

static void empty(TaskLife& life) {
  life.root.clear();
  life.cells.clear();
  life.given_globals = {};
  life.outer_environments.clear();
}

bool Scheduler::abandon_tasks() {
  std::vector<Task*> tasks{root_.get()};
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (Task* child = tasks[i]->first_child; child; child = child->next_sibling) tasks.push_back(child);
  }
  if (std::ranges::any_of(tasks, [](Task* task) { return task->fiber || task->parted; })) return false;
  // Who is nobody's any more cannot be woken: what leaving a queue means to others reaches no task.
  for (Task* task : tasks) task->ticket.store(0);
  for (Task* task : tasks) {
    if (task->life) task->end_wait();
  }
  for (Task* task : tasks) {
    for (Deadline* at = task->deadline; at; at = at->outer) clock_.remove(*at);
    HandleObject* owner = task->hook ? std::exchange(task->hook, nullptr)->handle() : nullptr;
    auto generators = task->life ? take_generators(*task) : std::vector<Ref<GeneratorObject>>();
    if (task->is_root()) empty(*task->life);
    else task->end_life();
    task->globals = {};
    task->environment = task->home_environment = {};
    task->entry.set_nil();
    task->arguments = nullptr;
    task->first_child = task->next_sibling = task->previous_sibling = nullptr;
    task->finished = task->result_taken = true;
    if (owner) release(owner);
  }
  for (auto& worker : workers_) {
    worker->ready = {};
    worker->fresh = {};
    worker->fresh_size = 0;
    worker->inbox = nullptr;
  }
  live_tasks_ = 0;
  for (Task* task : tasks) {
    if (!task->is_root()) release(task);  // the scheduler's own count
  }
  root_->error = {};
  root_->failure = {};
  root_->answer.set_nil();
  return true;
}

void Scheduler::run_until_called_off() {
  Worker* outer = std::exchange(this_worker, workers_[0].get());
  stopping_ = false;
  loop_until(Until::CallsEnd);
  drop_credits();
  this_worker = outer;
}

// ---- the tree, with its lock held ----

static void put_first(Task& parent, Task& child) {
  child.parent = &parent;
  child.previous_sibling = nullptr;
  child.next_sibling = parent.first_child;
  if (parent.first_child) parent.first_child->previous_sibling = &child;
  parent.first_child = &child;
}

static void take_out(Task& child) {
  if (child.previous_sibling) child.previous_sibling->next_sibling = child.next_sibling;
  else child.parent->first_child = child.next_sibling;
  if (child.next_sibling) child.next_sibling->previous_sibling = child.previous_sibling;
}

Ref<Task> Scheduler::spawn(Task& parent, Luggage&& luggage, SpawnOptions options) {
  auto task = new_handle<Task>(kTaskType);
  task->scheduler = this;
  task->index = options.index ? options.index : ++parent.children_started;
  task->id = child_id(parent.id, task->index);
  task->parent = &parent;
  task->helps_clean_up = parent.stopping || parent.helps_clean_up;
  // It would only start more.
  if (is_stopping(parent)) cancel(parent, true);
  task->group = options.group ? options.group : parent.group;
  task->hook = options.hook;
  task->lasts = options.lasts;
  task->entry = std::move(luggage.entry);
  if (!luggage.args.empty()) task->arguments = std::make_unique<std::vector<Value>>(std::move(luggage.args));
  task->context = std::move(luggage.context);
  task->run = parent.run;
  task->globals = std::move(luggage.globals);
  live_tasks_.fetch_add(1, std::memory_order_relaxed);
  {
    std::lock_guard lock(tree_lock_);
    put_first(parent, *task);
  }
  task->parent_id = parent.id;
  if (host_watches_) [[unlikely]]
    vm_.host().task_started(task->id, parent.id);
  retain(task.get());  // the scheduler's own, until it has ended
  Worker& worker = this_worker ? *this_worker : *workers_[0];
  push_fresh(worker, *task);
  ++worker.spawned;
  if (vm_.options().eager_workers) look_for_help(worker);
  return task;
}

void Scheduler::run_task(Worker& worker, Task& task) {
  ++worker.turns;
  if (course_) course_->has_come_further = !task.fiber, begin_pace(worker);
  if (task.parted) return worker.stacks.go_on(*std::exchange(task.parted, nullptr));
  uint64_t talks = worker.talks;
  worker.running = &task;
  task.home = &worker;
  auto ran = Interpreter(vm_, task, &worker).resume();
  worker.let_others_in();
  Task& last = *std::exchange(worker.running, nullptr);
  // A task that makes room for others has passed a moment when it looked up.
  if (course_ && ran != Interpreter::Ran::Yielded && std::exchange(course_->has_come_further, false)) course_->pass();
  switch (ran) {
    case Interpreter::Ran::Finished: return finish(last);
    case Interpreter::Ran::Yielded: last.computes = worker.talks == talks; return push_ready(worker, last);
    case Interpreter::Ran::Parked:
      let_go(last);
      if (worker.counts_waits.load(std::memory_order_relaxed)) note_wait();
      return;
    case Interpreter::Ran::Again: return;  // never leaves resume
  }
}

// What a task leaves behind must be free of everything it owned: others may read it on any thread.
static void settle_result(Task& task, Holders& holders) {
  if (task.error) {
    if (task.error->error_class == ErrorClass::Cancelled && task.stopping) {
      task.error = {};
      return;
    }
    auto value = transfer(std::move(task.error->value), task);
    task.error->value = value ? std::move(*value) : text_value(describe(*value.error()));
    if (may_hold_handles(task.error->value)) holders.note(&task, task.noted_in);
    return;
  }
  auto value = transfer(std::move(task.result), task);
  if (value) task.result = std::move(*value);
  else task.error = std::move(value).error();
  if (may_hold_handles(task.result)) holders.note(&task, task.noted_in);
}

void Scheduler::finish(Task& task) {
  if (task.keeps_permits) task.kept_permits = task.life->root.permits ? task.life->root.permits->size() : 0;
  else if (task.life) release_permits(task.life->root, task.kept_permits);
  if (task.beside_root) return finish_beside_root(task);
  if (task.is_root()) {
    task.finished = true;
    return;
  }
  bool ends_by_itself = !task.error && !task.stopping;
  try {
    settle_result(task, vm_.holders());
  } catch (const std::exception&) {
    task.error = error_of_exception();
  }
  if (host_watches_) [[unlikely]]
    vm_.host().task_ended(task.id, task.error.get());
  if (task.life) empty(*task.life);
  task.globals = {};
  task.environment = task.home_environment = {};
  task.context.set_nil();
  if (ends_by_itself && !task.lasts) pass_on_children(task);
  cancel_children(task);
  {
    std::lock_guard lock(tree_lock_);
    // Children that still clean up belong to the root now.
    while (Task* child = task.first_child) {
      take_out(*child);
      put_first(*root_, *child);
    }
    take_out(task);
  }
  FinishHook* hook;
  {
    std::lock_guard lock(task.lock);
    task.finished = true;
    hook = std::exchange(task.hook, nullptr);
    while (Waiter* waiter = task.awaiting.take()) {
      Task& waiting = *waiter->task;
      if (waiter->number == kWatches) answer(waiting, Value::boolean(true));
      else answer_with_result(task, waiting);
    }
  }
  if (hook) hook->finished(task);
  // Not before: what has gone until now may have held cells on their way here, which it has taken in.
  task.end_life();
  bool was_last = live_tasks_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  release(&task);
  // The first worker may be waiting for just that, at the end of the program.
  if (was_last && this_worker != workers_[0].get()) poke();
}

// With the task's lock held: hands what the task ended with to a task whose wait was claimed.
void Scheduler::answer_with_result(Task& task, Task& to) {
  bool is_first = !std::exchange(task.result_taken, true);
  if (!is_first || task.stopping) return answer(to, Value());
  if (!task.error) return answer(to, std::move(task.result));
  to.failure = std::move(task.error);
  note_task(*to.failure, task.id);
  go_on(to, Wake::Error);
}

void Scheduler::end_tasks() {
  Worker& worker = *workers_[0];
  Worker* outer = std::exchange(this_worker, &worker);
  stopping_ = true;
  for (int round = 0; round < 2 && live_tasks_.load(std::memory_order_acquire) != 0; ++round) {
    cancel_children(*root_);
    if (clock_.is_mocked()) clock_.unmock();
    time_is_up_ = false;
    struct Alarm : Timer {
      std::atomic<bool>* is_up;
    } alarm;
    alarm.is_up = &time_is_up_;
    alarm.fire = [](Timer& timer, std::vector<Task*>&) { *static_cast<Alarm&>(timer).is_up = true; };
    clock_.add(alarm, clock_.now() + kEndingTime / (round + 1));
    loop_until(Until::TasksEnd);
    clock_.remove(alarm);
  }
  drop_credits();
  this_worker = outer;
}

// ---- waking ----

bool Scheduler::wake(Task& task, uint64_t ticket, Value value) {
  if (!task.claim(ticket)) return false;
  answer(task, std::move(value));
  return true;
}

bool Scheduler::wake(Task& task, uint64_t ticket, Thrown failure) {
  if (!task.claim(ticket)) return false;
  task.failure = std::move(failure);
  go_on(task, Wake::Error);
  return true;
}

bool Scheduler::wake(Task& task, uint64_t ticket, Wake reason) {
  if (!task.claim(ticket)) return false;
  go_on(task, reason);
  return true;
}

void Scheduler::external_end() {
  // The first worker may find now that nothing else can come.
  if (external_.fetch_sub(1) == 1) poke();
}

void Scheduler::end_timed_wait(Timer& timer, std::vector<Task*>& woken) {
  auto& wait = static_cast<TaskLife::WaitTimer&>(timer);
  Task& task = *wait.task;
  if (!task.claim(wait.ticket)) return;
  if (task.scheduler->course_ && !task.is_inside_effect()) task.scheduler->fired_.push_back({task.id, 0});
  task.woken_by = wait.reason;
  task.woken = true;
  woken.push_back(&task);
}

void Scheduler::prepare_timer(Task& task) {
  task.life->timer.task = &task;
  task.life->timer.fire = end_timed_wait;
}

void Scheduler::set_timeout(Task& task, uint64_t ticket, Nanoseconds due, Wake reason) {
  prepare_timer(task);
  task.life->timer.ticket = ticket;
  task.life->timer.reason = reason;
  bool is_first = due < clock_.next_due();
  clock_.add(task.life->timer, due);
  // The first worker keeps the time while it has nothing else to do.
  if (is_first && this_worker != workers_[0].get()) poke();
  // Others may compute meanwhile.
  if (live_tasks() != 0) watch();
}

void Scheduler::fire_timers() {
  // The program has moved the clock. A moment of its own: what happens now cannot happen before.
  if (course_ && this_worker && this_worker->running) course_->pass();
  if (course_ && course_->repeats()) course_->bring_about(*this);
  else fire_by_clock();
}

void Scheduler::fire_by_clock() {
  Nanoseconds due = clock_.next_due();
  if (due == kNever || due > clock_.now()) return;
  std::vector<Task*> woken;
  clock_.fire_due(woken);
  for (Task* task : woken) make_ready(*task);
  if (!course_) return;
  for (Fired fired : std::exchange(fired_, {})) course_->note_timer(fired.task, fired.which, clock_.now());
}

// ---- courses ----

void Scheduler::set_course(Course* course) {
  if (worker_limit_ > 1) return;
  course_ = course;
  if (course) course->pass();
  workers_[0]->pace.is_counted.store(course != nullptr);
}

static uint32_t place_of(const Deadline& deadline) {
  uint32_t place = 1;
  for (const Deadline* outer = deadline.outer; outer; outer = outer->outer) ++place;
  return place;
}

bool Scheduler::is_timer_of(const Timer& timer, uint64_t task, uint32_t which) {
  if (timer.fire == end_timed_wait) {
    const auto& wait = static_cast<const TaskLife::WaitTimer&>(timer);
    return which == 0 && wait.task->id == task;
  }
  if (timer.fire != pass_deadline) return false;
  const auto& deadline = static_cast<const Deadline&>(timer);
  return deadline.task->id == task && which == place_of(deadline);
}

// What Course::note_timer is told of a signal, in the place of a task.
constexpr uint32_t kSignal = UINT32_MAX;

bool Scheduler::fire_timer_of(uint64_t task, uint32_t which) {
  if (which == kSignal) {
    raise(static_cast<int>(task));
    return deliver_stop();
  }
  std::vector<Task*> woken;
  bool has_fired = clock_.fire_one([&](const Timer& timer) { return is_timer_of(timer, task, which); }, woken);
  for (Task* one : woken) make_ready(*one);
  fired_.clear();
  return has_fired;
}

void Scheduler::go_first(Task& task, uint64_t ticket) {
  if (!task.claim(ticket)) return;
  task.woken_by = Wake::Value;
  task.woken = true;
  first_ = &task;
}

bool Scheduler::follow_clock(Worker& worker) {
  if (!clock_.is_following() || clock_.is_mocked()) return false;
  Nanoseconds due = clock_.next_due();
  if (due == kNever || external_.load() != 0 || worker.inbox.load(std::memory_order_seq_cst)) return false;
  clock_.follow_to(due);
  worker.recent_time = clock_.now();
  fire_by_clock();
  return true;
}

// ---- deadlines ----

void Scheduler::pass_deadline(Timer& timer, std::vector<Task*>& woken) {
  auto& passed = static_cast<Deadline&>(timer);
  Task& task = *passed.task;
  if (task.scheduler->course_) task.scheduler->fired_.push_back({task.id, place_of(passed)});
  passed.expired.store(true);
  task.expired_deadlines.fetch_add(1);
  task.requests.fetch_or(kRequestDeadline, std::memory_order_seq_cst);
  if (!task.claim(task.ticket.load(std::memory_order_seq_cst))) return task.scheduler->raise_all();
  task.woken_by = Wake::Deadline;
  task.woken = true;
  woken.push_back(&task);
}

void Scheduler::prepare_timer(Deadline& deadline) { deadline.fire = pass_deadline; }

void Scheduler::push_deadline(Task& task, Nanoseconds due, uint32_t start) {
  auto* deadline = new Deadline;
  deadline->task = &task;
  deadline->start = start;
  this_worker->interpreter->mark_block(*deadline);
  deadline->outer = task.deadline;
  deadline->children_before = task.children_started;
  prepare_timer(*deadline);
  task.deadline = deadline;
  bool is_first = due < clock_.next_due();
  clock_.add(*deadline, due);
  if (is_first && this_worker != workers_[0].get()) poke();
  if (due != kNever) watch();
}

void Scheduler::pop_deadline(Task& task) {
  // Not always the innermost: a generator may have stopped inside a block of its own.
  Deadline** place = &task.deadline;
  while (*place && !this_worker->interpreter->is_block_of_frame(**place)) place = &(*place)->outer;
  std::unique_ptr<Deadline> ended(*place);
  if (!ended) return;  // it was begun by another task, which gave the generator away
  clock_.remove(*ended);
  *place = ended->outer;
  uint32_t was_expired = ended->expired.load() ? 1 : 0;
  task.deadline_passed = task.expired_deadlines.fetch_sub(was_expired) > was_expired;
}

bool Scheduler::is_deadline_over(Task& task) {
  Deadline* deadline = task.deadline;
  while (deadline && !this_worker->interpreter->is_block_of_frame(*deadline)) deadline = deadline->outer;
  if (!deadline) return false;
  if (course_) {
    // What the clock shows by now is not known to a replay.
    course_->pass();
    attend();
    return deadline->expired.load();
  }
  return deadline->expired.load() || (deadline->due != kNever && deadline->due <= clock_.now());
}

// ---- cancelling ----

void Scheduler::cancel(Task& task, bool force) {
  task.cancel_requested.store(true, std::memory_order_relaxed);
  task.requests.fetch_or(force ? kRequestStop : kRequestCancel, std::memory_order_seq_cst);
  if (!wake(task, task.ticket.load(std::memory_order_seq_cst), Wake::Cancelled)) raise_all();
}

void Scheduler::cancel_children(Task& task, uint32_t started_after) {
  std::lock_guard lock(tree_lock_);
  for (Task* child = task.first_child; child; child = child->next_sibling) {
    if (child->parent == &task && child->index > started_after) cancel(*child, true);
  }
}

void Scheduler::pass_on_children(Task& task) {
  std::lock_guard lock(tree_lock_);
  // Whoever is told to stop takes all with it, also when it has not noticed.
  if (task.cancel_requested.load(std::memory_order_relaxed)) return;
  for (Task* child = task.first_child; child;) {
    Task& here = *std::exchange(child, child->next_sibling);
    if (!here.lasts) continue;
    take_out(here);
    put_first(*task.parent, here);
    here.index = task.index;  // deadlines of the parent see it where they saw `task`
  }
}

// ---- checkpoints ----

// The flag that Ctrl-C and time limits set: the root task unwinds, and everything with it.
bool Scheduler::deliver_stop() {
  if (!vm_.has_stop() || this_worker != workers_[0].get()) return false;
  StopReason reason = vm_.take_stop();
  int signal = vm_.take_signal();
  if (course_ && !course_->repeats() && signal != 0)
    course_->note_timer(static_cast<uint64_t>(signal), kSignal, clock_.now());
  auto handler = on_signal_.load();
  if (signal != 0 && handler && handler(vm_, signal)) return true;
  if (reason == StopReason::Interrupt) vm_.note_interrupt();
  root_->stop_text =
      reason == StopReason::Timeout ? "kind:cancelled:time limit reached" : "kind:cancelled:VM cancelled by host";
  stopping_ = true;
  // While calls are served the root has ended: nobody but us stops what it has left.
  if (root_->finished) cancel_children(*root_);
  else cancel(*root_, true);
  return true;
}

bool Scheduler::has_host_calls() const {
  HostCalls* calls = host_calls();
  return calls && calls->has_waiting();
}

// Between two instructions of the root: they get its variables.
void Scheduler::start_host_calls() {
  if (root_->is_held || root_->parted || !has_host_calls()) return;
  host_calls()->start_waiting();
}

// They never run at the same time, so the variables simply change hands, between two instructions of the root.
void Scheduler::start_beside_root() {
  if (beside_root_.empty() || root_->is_held || root_->parted || root_->finished) return;
  auto [callee, argument] = std::move(beside_root_.front());
  beside_root_.pop_front();
  vm_.note_interrupt();
  auto task = new_handle<Task>(kTaskType);
  task->scheduler = this;
  task->id = child_id(root_->id, ++root_->children_started);
  task->parent = root_.get();
  task->beside_root = true;
  task->run = root_->run;
  task->entry = std::move(callee);
  task->arguments = std::make_unique<std::vector<Value>>();
  task->arguments->push_back(std::move(argument));
  task->globals = std::move(root_->globals);
  task->cell_list = root_->cell_list;
  task->home = workers_[0].get();
  root_->is_held = true;
  live_tasks_.fetch_add(1, std::memory_order_relaxed);
  retain(task.get());
  push_ready(*workers_[0], *task);
}

// What ran beside the root has ended: the root goes on, or is told what was thrown.
void Scheduler::finish_beside_root(Task& task) {
  root_->globals = std::move(task.globals);
  root_->is_held = false;
  task.end_life();
  if (task.error && !task.stopping) {
    root_->thrown = std::move(task.error);
    root_->requests.fetch_or(kRequestThrow, std::memory_order_seq_cst);
    wake(*root_, root_->ticket.load(), Wake::Cancelled);
  }
  if (std::exchange(root_waits_its_turn_, false)) push_ready(*workers_[0], *root_);
  live_tasks_.fetch_sub(1, std::memory_order_release);
  release(&task);
}

}  // namespace harn::vm
