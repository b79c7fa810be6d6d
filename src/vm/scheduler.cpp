#include "vm/scheduler.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "base/assert.h"
#include "base/fmt.h"
#include "vm/interpreter.h"
#include "vm/sync.h"
#include "vm/trace.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

namespace {

thread_local Worker* this_worker = nullptr;

// How often a worker without work looks for tasks to steal, and how long before it sleeps for good.
constexpr Nanoseconds kStealEvery = 100'000;
constexpr int kStealTries = 200;
// How long tasks may clean up when the program ends.
constexpr Nanoseconds kEndingTime = 2'000 * kMillisecond;

// How long a task may wait to begin before another worker is asked to help.
constexpr Nanoseconds kHelpAfter = 500'000;

// Rounds and checkpoints after which a task that has not begun gets its turn where it was queued.
constexpr uint32_t kPatience = 64;
constexpr uint32_t kFreshPolls = 400;

Nanoseconds steady_now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, Nanoseconds timeout) {
  timespec time{timeout / 1'000'000'000, timeout % 1'000'000'000};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen,
          timeout == kNever ? nullptr : &time, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

// ---- queues ----

void TaskQueue::push(Task* task) {
  if (size_ == slots_.size()) {
    std::vector<Task*> larger(std::max<size_t>(16, slots_.size() * 2));
    for (size_t i = 0; i < size_; ++i) larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_ = std::move(larger);
    first_ = 0;
  }
  slots_[(first_ + size_++) & (slots_.size() - 1)] = task;
}

Task* TaskQueue::pop() {
  if (size_ == 0) return nullptr;
  Task* task = slots_[first_];
  first_ = (first_ + 1) & (slots_.size() - 1);
  --size_;
  return task;
}

void Scheduler::push_ready(Worker& worker, Task& task) {
  task.queued = ++worker.orders;
  worker.ready.push(&task);
}

void Scheduler::push_fresh(Worker& worker, Task& task) {
  std::lock_guard lock(worker.fresh_lock);
  task.queued = ++worker.orders;
  worker.fresh.push(&task);
  worker.fresh_size.store(worker.fresh.size(), std::memory_order_relaxed);
  worker.fresh_front.store(worker.fresh.front()->queued, std::memory_order_relaxed);
}

void Scheduler::drain_inbox(Worker& worker) {
  Task* newest = worker.inbox.exchange(nullptr, std::memory_order_acquire);
  Task* oldest = nullptr;
  while (newest) oldest = std::exchange(newest, std::exchange(newest->next_queued, oldest));
  while (oldest) push_ready(worker, *std::exchange(oldest, oldest->next_queued));
}

// First come, first served. With other workers around, tasks that have begun go before those that have not
// for a few rounds: a task that begins here can no longer be helped with.
bool Scheduler::is_turn_of_fresh(Worker& worker, const Task& ready) {
  if (worker.fresh_front.load(std::memory_order_relaxed) > ready.queued) return false;
  return worker_limit_ == 1 || ++worker.patience > kPatience;
}

Task* Scheduler::next_task(Worker& worker) {
  if (worker.inbox.load(std::memory_order_relaxed)) drain_inbox(worker);
  Task* ready = worker.ready.front();
  if (worker.fresh_size.load(std::memory_order_relaxed) != 0) {
    std::lock_guard lock(worker.fresh_lock);
    Task* fresh = worker.fresh.front();
    if (fresh && (!ready || is_turn_of_fresh(worker, *ready))) {
      worker.patience = worker.fresh_polls = 0;
      worker.fresh.pop();
      worker.fresh_size.store(worker.fresh.size(), std::memory_order_relaxed);
      if (Task* next = worker.fresh.front()) worker.fresh_front.store(next->queued, std::memory_order_relaxed);
      return fresh;
    }
  }
  Task* task = worker.ready.pop();
  if (!task || !task->is_held) return task;
  root_waits_its_turn_ = true;
  return next_task(worker);
}

Task* Scheduler::take_ready(Worker& worker) {
  Task* ready = worker.ready.front();
  if (!ready || !ready->started || ready->is_held || worker.inbox.load(std::memory_order_relaxed)) return nullptr;
  if (worker.fresh_size.load(std::memory_order_relaxed) != 0 && is_turn_of_fresh(worker, *ready)) {
    return nullptr;
  }
  worker.ready.pop();
  worker.running = ready;
  return ready;
}

// Takes half of the tasks that wait to begin, from a worker that has not got round to the first of
// them since we last looked. A task that its own worker will start at once is left alone: two tasks
// that talk to each other do so faster on one thread.
bool Scheduler::steal(Worker& thief, std::vector<uint64_t>& seen) {
  unsigned count = worker_count_.load(std::memory_order_acquire);
  seen.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    Worker& victim = *workers_[i];
    if (&victim == &thief || victim.fresh_size.load(std::memory_order_relaxed) == 0) continue;
    uint64_t front = victim.fresh_front.load(std::memory_order_relaxed);
    if (std::exchange(seen[i], front) != front && !vm_.options().eager_workers) continue;
    std::vector<Task*> taken;
    size_t left;
    {
      std::lock_guard lock(victim.fresh_lock);
      for (size_t wanted = (victim.fresh.size() + 1) / 2; wanted > 0; --wanted) taken.push_back(victim.fresh.pop());
      left = victim.fresh.size();
      victim.fresh_size.store(left, std::memory_order_relaxed);
      if (Task* next = victim.fresh.front()) victim.fresh_front.store(next->queued, std::memory_order_relaxed);
    }
    for (Task* task : taken) push_fresh(thief, *task);
    if (left > 1) start_helpers();
    if (!taken.empty()) return true;
  }
  return false;
}

// ---- life ----

template <class Done>
void Scheduler::loop_until(Worker& worker, const Done& done) {
  for (uint32_t rounds = 0; !done(); ++rounds) {
    if ((rounds & 63) == 0) poll();
    if (Task* task = next_task(worker)) {
      run_task(worker, *task);
      continue;
    }
    fire_timers();
    if (deliver_stop() || worker.ready.size() != 0 || done()) continue;
    go_idle(worker, kNever);
  }
}

Scheduler::Scheduler(Vm& vm, unsigned workers) : vm_(vm), worker_limit_(std::max(1u, workers)) {
  root_ = new_handle<Task>(kTaskType);
  root_->scheduler = this;
  // The vector never grows later: thieves read it without a lock.
  for (unsigned i = 0; i < worker_limit_; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
  root_->home = workers_[0].get();
}

Scheduler::~Scheduler() {
  ending_ = true;
  for (auto& worker : workers_) {
    if (!worker->thread.joinable()) continue;
    worker->signal.fetch_add(1);
    futex_wake(worker->signal);
    worker->thread.join();
  }
}

Task& Scheduler::current() { return *this_worker->running; }
Task* Scheduler::current_or_null() { return this_worker ? this_worker->running : nullptr; }

Outcome<Value> Scheduler::run_root(const Value& callee, std::span<const Value> args) {
  Worker& worker = *workers_[0];
  Task& root = *root_;
  Worker* outer = std::exchange(this_worker, &worker);
  root.started = false;
  root.finished = false;
  root.stopping = false;
  root.entry = callee;
  root.arguments = std::make_unique<std::vector<Value>>(args.begin(), args.end());
  push_ready(worker, root);
  loop_until(worker, [&] { return root.finished; });
  this_worker = outer;
  if (root.error) return std::unexpected(std::move(root.error));
  return std::move(root.result);
}

Ref<Task> Scheduler::spawn(Task& parent, Value entry, std::vector<Value> args, SpawnOptions options) {
  auto task = new_handle<Task>(kTaskType);
  task->scheduler = this;
  task->index = options.index ? options.index : ++parent.children_started;
  task->id = child_id(parent.id, task->index);
  task->parent = &parent;
  task->group = options.group ? options.group : parent.group;
  task->hook = options.hook;
  task->entry = std::move(entry);
  if (!args.empty()) task->arguments = std::make_unique<std::vector<Value>>(std::move(args));
  task->context = options.context ? *options.context : parent.context;
  task->globals = options.globals ? *options.globals : vm_.globals_for_child(parent);
  live_tasks_.fetch_add(1, std::memory_order_relaxed);
  {
    std::lock_guard lock(tree_lock_);
    task->next_sibling = parent.first_child;
    if (parent.first_child) parent.first_child->previous_sibling = task.get();
    parent.first_child = task.get();
  }
  task->parent_id = parent.id;
  retain(task.get());  // the scheduler's own, until it has ended
  Worker& worker = this_worker ? *this_worker : *workers_[0];
  push_fresh(worker, *task);
  ++worker.spawned;
  if (vm_.options().eager_workers) look_for_help(worker);
  return task;
}

void Scheduler::run_task(Worker& worker, Task& task) {
  worker.running = &task;
  task.home = &worker;
  auto ran = Interpreter(vm_, task).resume();
  Task& last = *std::exchange(worker.running, nullptr);
  switch (ran) {
    case Interpreter::Ran::Finished: return finish(worker, last);
    case Interpreter::Ran::Yielded: return push_ready(worker, last);
    case Interpreter::Ran::Parked: return;
  }
}

// What a task leaves behind must be free of everything it owned: others may read it on any thread.
static void settle_result(Task& task) {
  if (task.error) {
    if (task.error->error_class == ErrorClass::Cancelled && task.stopping) {
      task.error = {};
      return;
    }
    auto value = transfer(std::move(task.error->value));
    task.error->value = value ? std::move(*value) : text_value(describe(*value.error()));
    return;
  }
  auto value = transfer(std::move(task.result));
  if (value) task.result = std::move(*value);
  else task.error = std::move(value).error();
}

void Scheduler::finish(Worker& worker, Task& task) {
  (void)worker;
  release_permits(task, 0);
  if (task.beside_root) return finish_beside_root(task);
  if (task.is_root()) {
    task.finished = true;
    return;
  }
  settle_result(task);
  task.root.clear();
  task.current = &task.root;
  task.cells.clear();
  task.globals = {};
  task.given_globals = {};
  task.context.set_nil();
  cancel_children(task);
  {
    std::lock_guard lock(tree_lock_);
    // Children that still clean up belong to the root now.
    while (Task* child = task.first_child) {
      task.first_child = child->next_sibling;
      child->parent = root_.get();
      child->previous_sibling = nullptr;
      child->next_sibling = root_->first_child;
      if (root_->first_child) root_->first_child->previous_sibling = child;
      root_->first_child = child;
    }
    if (task.previous_sibling) task.previous_sibling->next_sibling = task.next_sibling;
    else task.parent->first_child = task.next_sibling;
    if (task.next_sibling) task.next_sibling->previous_sibling = task.previous_sibling;
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
  live_tasks_.fetch_sub(1, std::memory_order_release);
  release(&task);
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
  for (int round = 0; round < 2 && live_tasks_.load(std::memory_order_acquire) != 0; ++round) {
    cancel_children(*root_);
    if (clock_.is_mocked()) clock_.unmock();
    bool over = false;
    struct Alarm : Timer { bool* over; } alarm;
    alarm.over = &over;
    alarm.fire = [](Timer& timer, std::vector<Task*>&) { *static_cast<Alarm&>(timer).over = true; };
    clock_.add(alarm, clock_.now() + kEndingTime / (round + 1));
    loop_until(worker, [&] { return over || live_tasks_.load(std::memory_order_acquire) == 0; });
    clock_.remove(alarm);
  }
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

void Scheduler::make_ready(Task& task) {
  Worker& home = *task.home;
  if (this_worker == &home) return push_ready(home, task);
  Task* first = home.inbox.load(std::memory_order_relaxed);
  do {
    task.next_queued = first;
  } while (!home.inbox.compare_exchange_weak(first, &task, std::memory_order_seq_cst));
  if (home.idle.load(std::memory_order_seq_cst)) call(home);
}

void Scheduler::call(Worker& worker) {
  {
    std::lock_guard lock(idle_lock_);
    if (worker.idle.load(std::memory_order_relaxed)) {
      worker.idle.store(false);
      ++active_;
    }
    worker.signal.fetch_add(1);
  }
  futex_wake(worker.signal);
}

void Scheduler::poke() {
  // Called by signal handlers: nothing but an atomic and a system call.
  workers_[0]->signal.fetch_add(1);
  futex_wake(workers_[0]->signal);
}

void Scheduler::external_end() {
  external_.fetch_sub(1);
  poke();
}

void Scheduler::set_timeout(Task& task, uint64_t ticket, Nanoseconds due) {
  task.timer.task = &task;
  task.timer.ticket = ticket;
  task.timer.fire = [](Timer& timer, std::vector<Task*>& woken) {
    auto& wait = static_cast<Task::WaitTimer&>(timer);
    if (!wait.task->claim(wait.ticket)) return;
    wait.task->woken_by = Wake::Timeout;
    wait.task->woken = true;
    woken.push_back(wait.task);
  };
  bool is_first = due < clock_.next_due();
  clock_.add(task.timer, due);
  // The first worker keeps the time while it has nothing else to do.
  if (is_first && this_worker != workers_[0].get()) poke();
}

void Scheduler::fire_timers() {
  Nanoseconds due = clock_.next_due();
  if (due == kNever || due > clock_.now()) return;
  std::vector<Task*> woken;
  clock_.fire_due(woken);
  for (Task* task : woken) make_ready(*task);
}

// ---- deadlines ----

void Scheduler::push_deadline(Task& task, Nanoseconds due) {
  auto* deadline = new Deadline;
  deadline->task = &task;
  deadline->outer = task.deadline;
  deadline->children_before = task.children_started;
  deadline->fire = [](Timer& timer, std::vector<Task*>& woken) {
    auto& passed = static_cast<Deadline&>(timer);
    Task& task = *passed.task;
    passed.expired.store(true);
    task.requests.fetch_or(kRequestDeadline, std::memory_order_seq_cst);
    if (!task.claim(task.ticket.load(std::memory_order_seq_cst))) return;
    task.woken_by = Wake::Deadline;
    task.woken = true;
    woken.push_back(&task);
  };
  task.deadline = deadline;
  bool is_first = due < clock_.next_due();
  clock_.add(*deadline, due);
  if (is_first && this_worker != workers_[0].get()) poke();
}

void Scheduler::pop_deadline(Task& task) {
  Deadline* deadline = task.deadline;
  clock_.remove(*deadline);
  task.deadline = deadline->outer;
  delete deadline;
}

bool Scheduler::take_expired_deadline(Task& task) {
  Deadline* outermost = nullptr;
  for (Deadline* at = task.deadline; at; at = at->outer) {
    if (at->expired.load()) outermost = at;
  }
  if (!outermost) return false;
  outermost->expired.store(false);
  cancel_children(task, outermost->children_before);
  return true;
}

// ---- cancelling ----

void Scheduler::cancel(Task& task, bool force) {
  task.cancel_requested.store(true, std::memory_order_relaxed);
  task.requests.fetch_or(force ? kRequestStop : kRequestCancel, std::memory_order_seq_cst);
  wake(task, task.ticket.load(std::memory_order_seq_cst), Wake::Cancelled);
}

void Scheduler::cancel_children(Task& task, uint32_t started_after) {
  std::lock_guard lock(tree_lock_);
  for (Task* child = task.first_child; child; child = child->next_sibling) {
    if (child->parent == &task && child->index > started_after) cancel(*child, true);
  }
}

// ---- checkpoints ----

// The flag that Ctrl-C and time limits set: the root task unwinds, and everything with it.
bool Scheduler::deliver_stop() {
  if (!vm_.has_stop() || this_worker != workers_[0].get()) return false;
  StopReason reason = vm_.take_stop();
  int signal = vm_.take_signal();
  auto handler = on_signal_.load();
  if (signal != 0 && handler && handler(vm_, signal)) return true;
  root_->stop_text = reason == StopReason::Timeout ? "kind:cancelled:time limit reached"
                                                   : "kind:cancelled:VM cancelled by host";
  cancel(*root_, true);
  return true;
}

// Tasks wait to begin and this worker has not got round to the first of them for a while: somebody
// else should. Not at once: most tasks begin soon, and a second thread makes every count atomic.
void Scheduler::look_for_help(Worker& worker) {
  if (worker_limit_ == 1 || !helper_asleep_.load(std::memory_order_relaxed)) return;
  if (worker.fresh_size.load(std::memory_order_relaxed) == 0) return;
  uint64_t front = worker.fresh_front.load(std::memory_order_relaxed);
  Nanoseconds now = steady_now();
  if (vm_.options().eager_workers) return start_helpers();
  // A task that is still starting others will wait for them soon; how much there is to do is known then.
  bool is_starting = std::exchange(worker.spawned_before, worker.spawned) != worker.spawned;
  if (front != worker.last_front || is_starting) {
    worker.last_front = front;
    worker.front_since = now;
  } else if (now - worker.front_since > kHelpAfter) {
    start_helpers();
  }
}

void Scheduler::run_beside_root(Value callee, Value argument) {
  auto task = new_handle<Task>(kTaskType);
  task->scheduler = this;
  task->id = child_id(root_->id, ++root_->children_started);
  task->parent = root_.get();
  task->beside_root = true;
  task->entry = std::move(callee);
  task->arguments = std::make_unique<std::vector<Value>>();
  task->arguments->push_back(std::move(argument));
  // They never run at the same time, so the variables simply change hands.
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
  task.root.clear();
  if (task.error && !task.stopping) {
    root_->thrown = std::move(task.error);
    root_->requests.fetch_or(kRequestThrow, std::memory_order_seq_cst);
    wake(*root_, root_->ticket.load(), Wake::Cancelled);
  }
  if (std::exchange(root_waits_its_turn_, false)) push_ready(*workers_[0], *root_);
  live_tasks_.fetch_sub(1, std::memory_order_release);
  release(&task);
}

bool Scheduler::has_others() const {
  const Worker& worker = *this_worker;
  return worker.ready.size() != 0 || worker.fresh_size.load(std::memory_order_relaxed) != 0 ||
         worker.inbox.load(std::memory_order_relaxed);
}

bool Scheduler::poll() {
  Worker& worker = *this_worker;
  look_for_help(worker);
  if (clock_.next_due() != kNever) fire_timers();
  deliver_stop();
  if (worker.ready.size() != 0 || worker.inbox.load(std::memory_order_relaxed)) return true;
  if (worker.fresh_size.load(std::memory_order_relaxed) == 0) return false;
  // Others have time to take the tasks that have not begun before this one makes room for them.
  return worker_limit_ == 1 || ++worker.fresh_polls > kFreshPolls;
}

// ---- workers ----

void Scheduler::start_helpers() {
  several_threads = true;
  std::lock_guard lock(idle_lock_);
  helper_asleep_ = false;
  for (unsigned i = 1; i < worker_limit_; ++i) {
    Worker& worker = *workers_[i];
    if (!worker.thread.joinable()) {
      ++active_;
      worker_count_.store(i + 1, std::memory_order_release);
      worker.thread = std::thread([this, &worker] { worker_main(worker); });
      return;
    }
    if (worker.idle.load(std::memory_order_relaxed)) {
      worker.idle.store(false);
      ++active_;
      worker.signal.fetch_add(1);
      futex_wake(worker.signal);
      return;
    }
  }
}

// With idle_lock_ held, which every worker needs to become active again: nobody runs, and nothing that
// could wake a task is on its way.
bool Scheduler::is_stuck() const {
  if (active_ != 0 || external_.load() != 0 || expects_signals_ || vm_.has_stop() || ending_) return false;
  if (!clock_.is_mocked() && clock_.next_due() != kNever) return false;
  for (auto& worker : workers_) {
    if (worker->inbox.load(std::memory_order_seq_cst) || worker->fresh_size.load() != 0) return false;
  }
  return true;
}

// Waits until the worker is called, time has passed, or it is time to look around again.
void Scheduler::go_idle(Worker& worker, Nanoseconds look_again) {
  uint32_t seen = worker.signal.load();
  bool is_main = worker.number == 0;
  bool stuck;
  {
    std::lock_guard lock(idle_lock_);
    worker.idle.store(true, std::memory_order_seq_cst);
    --active_;
    stuck = is_stuck();
  }
  bool has_work = worker.inbox.load(std::memory_order_seq_cst) || worker.fresh_size.load() != 0 ||
                  vm_.has_stop() || ending_;
  if (!has_work && !stuck) {
    if (is_main) vm_.host().flush();  // what was printed before a wait is seen during it
    Nanoseconds due = clock_.is_mocked() ? kNever : clock_.next_due();
    Nanoseconds wait = look_again;
    if (is_main && due != kNever) wait = std::min(wait, std::max<Nanoseconds>(0, due - clock_.now()));
    futex_wait(worker.signal, seen, wait);
  }
  {
    std::lock_guard lock(idle_lock_);
    if (worker.idle.load(std::memory_order_relaxed)) {
      worker.idle.store(false);
      ++active_;
    }
  }
  if (!stuck) return;
  if (is_main) report_deadlock();
  else poke();  // the first worker sees it too, and reports
}

void Scheduler::worker_main(Worker& worker) {
  this_worker = &worker;
  std::vector<uint64_t> seen;
  int tries = 0;
  uint32_t rounds = 0;
  while (!ending_) {
    if ((++rounds & 63) == 0) poll();
    if (Task* task = next_task(worker)) {
      tries = 0;
      run_task(worker, *task);
      continue;
    }
    fire_timers();
    if (worker.ready.size() != 0) continue;
    if (steal(worker, seen)) {
      tries = 0;
      continue;
    }
    if (++tries > kStealTries) {
      helper_asleep_ = true;
      go_idle(worker, kNever);
      tries = 0;
    } else {
      go_idle(worker, kStealEvery);
    }
  }
  this_worker = nullptr;
}

// ---- reports ----

void Scheduler::report_unseen(const Task& task) {
  constexpr uint32_t kShown = 10;
  if (task.error->error_class == ErrorClass::Exit) return;
  uint32_t before = unseen_.fetch_add(1);
  if (before > kShown) return;
  std::string text = before == kShown
                         ? std::string("harn: more tasks failed that nobody awaited\n")
                         : fmt::format("harn: {} failed and nobody awaited it: {}\n{}", task_id_text(task.id),
                                       describe(*task.error), trace_text(*task.error));
  vm_.host().write(Stream::Err, text);
}

std::string Scheduler::deadlock_text() {
  std::string out = "deadlock: every task waits for another one";
  auto describe_task = [&](const Task& task) {
    fmt::format_to(std::back_inserter(out), "\n  {} waits in {}", task_id_text(task.id),
                   task.waits_for ? task.waits_for : "nothing known");
    if (task.waits_on && (task.waits_on->is(Kind::Handle) || task.waits_on->is_string())) {
      out += " on ";
      out += display(*task.waits_on);
    }
    out += stack_text(task);
  };
  describe_task(*root_);
  std::vector<Task*> open{root_.get()};
  size_t shown = 0;
  std::lock_guard lock(tree_lock_);
  for (size_t i = 0; i < open.size(); ++i) {
    for (Task* child = open[i]->first_child; child; child = child->next_sibling) {
      open.push_back(child);
      if (++shown <= 50) describe_task(*child);
    }
  }
  if (clock_.is_mocked()) out += "\n  the clock is mocked: only advance_time moves it";
  if (shown > 50) fmt::format_to(std::back_inserter(out), "\n  and {} more tasks", shown - 50);
  return out;
}

void Scheduler::report_deadlock() {
  Task& root = *root_;
  uint64_t ticket = root.ticket.load();
  if (ticket == 0) return;
  auto error = runtime_error("{}", deadlock_text());
  wake(root, ticket, std::move(error).error());
}

}  // namespace harn::vm
