// The threads that run tasks: their queues, who helps whom, and when they sleep.
#include "base/quiet_thread.h"
#include "vm/course.h"
#include "vm/futex.h"
#include "vm/host_calls.h"
#include "vm/memory.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::vm {

constinit thread_local Worker* this_worker = nullptr;

namespace {

// How often a worker without work looks for tasks to steal, and how long before it sleeps for good.
constexpr Nanoseconds kStealEvery = 100'000;
constexpr int kStealTries = 200;

// How long a task may wait to begin before another worker is asked to help.
constexpr Nanoseconds kHelpAfter = 500'000;
// The same where the tasks that run talk all the time: those that begin later may be their like, and would only be in
// each other's way on another worker.
constexpr Nanoseconds kHelpTalkersAfter = 2'000'000;

// A woken task comes to the worker that woke it when it will have its turn there within this time: about what
// it takes to hand it to another thread, and to move what the two tasks use between the caches.
constexpr Nanoseconds kNear = 5'000;

// The time between two messages below which two workers would spend more on passing them than they win.
constexpr Nanoseconds kTalkTime = 1'000;

// What it costs to wake a task on another worker that is awake.
constexpr Nanoseconds kSendTime = 1'000;

// How long begun tasks wait longer than that before some of them go to a worker that has nothing to do.
constexpr Nanoseconds kShareAfter = 50'000;

// What a worker takes from another at a time.
constexpr size_t kMostTaken = 256;

// The longest time that a worker watches for work before it sleeps.
constexpr Nanoseconds kSpinTime = 30'000;

// When so many tasks wait to begin, a task that starts still more makes room for them.
constexpr size_t kCrowd = 16'384;

// How long a task may wait to begin while other workers have no time for it and others take turns here.
constexpr Nanoseconds kLateAfter = 3 * kMillisecond;

// Rounds and checkpoints after which a task that has not begun gets its turn where it was queued otherwise.
constexpr uint32_t kPatience = 64;
constexpr uint32_t kFreshPolls = 400;

// Checkpoints after which a worker gives back what it holds of shared objects that it may not need any more.
constexpr uint32_t kCreditPolls = 64;

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
  uint64_t front = worker.fresh_front.load(std::memory_order_relaxed);
  if (front > ready.queued) return false;
  return worker_limit_ == 1 || worker.is_late || front <= worker.first_come || ++worker.patience > kPatience;
}

Task* Scheduler::next_task(Worker& worker) {
  if (first_) return std::exchange(first_, nullptr);
  if (worker.inbox.load(std::memory_order_relaxed)) drain_inbox(worker);
  Task* ready = worker.ready.front();
  if (worker.fresh_size.load(std::memory_order_relaxed) != 0) {
    std::lock_guard lock(worker.fresh_lock);
    Task* fresh = worker.fresh.front();
    if (fresh && (!ready || is_turn_of_fresh(worker, *ready))) {
      worker.patience = worker.fresh_polls = 0;
      worker.is_late = false;
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
  if (ready->parted || worker.stacks.is_on_own() || worker.counts_waits.load(std::memory_order_relaxed)) return nullptr;
  if (worker.fresh_size.load(std::memory_order_relaxed) != 0 && is_turn_of_fresh(worker, *ready)) {
    return nullptr;
  }
  worker.ready.pop();
  ++worker.turns;
  worker.running = ready;
  return ready;
}

// Takes half of the tasks that wait to begin, from a worker that has not got round to the first of
// them since we last looked. A task that its own worker will start at once is left alone: two tasks
// that talk to each other do so faster on one thread.
bool Scheduler::steal(Worker& thief) {
  unsigned count = worker_count_.load(std::memory_order_acquire);
  auto& seen = thief.fronts_seen;
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
      size_t half = (victim.fresh.size() + 1) / 2;
      for (size_t wanted = std::min(half, kMostTaken); wanted > 0; --wanted) taken.push_back(victim.fresh.pop());
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

// ---- waking workers ----

void Scheduler::make_ready(Task& task) {
  if (this_worker != task.home) {
    if (!this_worker) return send(*task.home, task);
    if (!is_better_here(task)) {
      this_worker->time_sending += kSendTime;
      return send(*task.home, task);
    }
    task.home = this_worker;
  }
  push_ready(*this_worker, task);
}

// Tasks that talk to each other do so best on one worker, where a message costs neither the wake of a thread nor
// the transport of what both use. Those that compute for a while in between are better off apart.
bool Scheduler::is_better_here(const Task& task) const {
  if (!task.has_left.load(std::memory_order_acquire) || !task.can_move()) return false;
  if (vm_.options().eager_workers) return task.tickets % 2 == 0;
  const Worker& worker = *this_worker;
  return worker.is_chatty || static_cast<Nanoseconds>(worker.ready.size() + 1) * worker.turn_time < kNear;
}

void Scheduler::send(Worker& worker, Task& task) {
  Task* first = worker.inbox.load(std::memory_order_relaxed);
  do {
    task.next_queued = first;
  } while (!worker.inbox.compare_exchange_weak(first, &task, std::memory_order_seq_cst));
  if (worker.idle.load(std::memory_order_seq_cst)) return call(worker);
  // Something outside has ended. Between workers it is the monitor that looks now and then.
  if (!this_worker) worker.pace.raise();
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
  // Called by signal handlers: nothing but atomics and a system call.
  workers_[0]->pace.raise();
  workers_[0]->signal.fetch_add(1);
  futex_wake(workers_[0]->signal);
}

// ---- help ----

// The time from one switch of tasks to the next, and from one message to the next, without what it costs that
// tasks are on different workers: waiting and waking.
void Scheduler::measure(Worker& worker, Nanoseconds now) {
  auto turns = static_cast<Nanoseconds>(worker.turns - std::exchange(worker.turns_measured, worker.turns));
  auto talks = static_cast<Nanoseconds>(worker.talks - std::exchange(worker.talks_measured, worker.talks));
  Nanoseconds busy = now - std::exchange(worker.measured_at, now) - std::exchange(worker.time_idle, 0);
  busy = std::max<Nanoseconds>(0, busy - std::exchange(worker.time_sending, 0));
  worker.turn_time = busy / std::max<Nanoseconds>(1, turns);
  worker.is_chatty = busy < talks * kTalkTime;
}

// Begun tasks have to wait for their turns: half of them go to somebody who has nothing to do. Where tasks talk all
// the time, only those that do not.
void Scheduler::share_backlog(Worker& worker, Nanoseconds now) {
  bool is_eager = vm_.options().eager_workers;
  Task* front = worker.ready.front();
  bool is_long = static_cast<Nanoseconds>(worker.ready.size()) * worker.turn_time >= kNear;
  if (!front || !(is_eager || (is_long && (!worker.is_chatty || front->computes)))) {
    worker.busy_since = kNever;
    return;
  }
  worker.busy_since = std::min(worker.busy_since, now);
  Nanoseconds waited = now - worker.busy_since;
  if (waited < kShareAfter && !is_eager) return;
  unsigned count = worker_count_.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    Worker& other = *workers_[i];
    if (&other != &worker && other.looking.load(std::memory_order_relaxed)) return give_half(worker, other);
  }
  if (count < worker_limit_ && waited > kHelpAfter) start_helpers();
}

void Scheduler::give_half(Worker& worker, Worker& to) {
  if (has_remains) return;  // see let_go
  size_t wanted = (worker.ready.size() + 1) / 2;
  for (size_t left = worker.ready.size(); left > 0; --left) {
    Task* task = worker.ready.pop();
    if (wanted == 0 || !task->can_move() || (worker.is_chatty && !task->computes)) {
      worker.ready.push(task);
      continue;
    }
    --wanted;
    task->home = &to;
    send(to, *task);
  }
}

// Tasks wait to begin and this worker has not got round to the first of them for a while: somebody
// else should. Not at once: most tasks begin soon, and a second thread makes every count atomic.
void Scheduler::look_for_help(Worker& worker) {
  if (worker_limit_ == 1) return;
  if (!is_alone()) use_credits();
  Nanoseconds now = steady_now();
  measure(worker, now);
  share_backlog(worker, now);
  note_late_front(worker, now);
  if (!helper_asleep_.load(std::memory_order_relaxed)) return;
  if (worker.fresh_size.load(std::memory_order_relaxed) == 0) return;
  uint64_t front = worker.fresh_front.load(std::memory_order_relaxed);
  if (vm_.options().eager_workers) return start_helpers();
  // A task that is still starting others will wait for them soon; how much there is to do is known then.
  bool is_starting = std::exchange(worker.spawned_before, worker.spawned) != worker.spawned;
  if (front != worker.last_front || is_starting) {
    worker.last_front = front;
    worker.front_since = now;
  } else if (now - worker.front_since > (worker.is_chatty ? kHelpTalkersAfter : kHelpAfter)) {
    start_helpers();
  }
}

// Nobody has taken the first task that waits to begin, so it will have its turn here.
void Scheduler::note_late_front(Worker& worker, Nanoseconds now) {
  uint64_t front = worker.fresh_front.load(std::memory_order_relaxed);
  if (worker.fresh_size.load(std::memory_order_relaxed) == 0) worker.late_front = 0;
  else if (worker.late_front == front) worker.is_late = now - worker.late_since > kLateAfter;
  else worker.late_front = front, worker.late_since = now;
}

void Scheduler::start_helpers() {
  several_threads = true;
  watch();
  std::lock_guard lock(idle_lock_);
  if (ending_) return;  // a thread that has been waited for must not start again
  helper_asleep_ = false;
  for (unsigned i = 1; i < worker_limit_; ++i) {
    Worker& worker = *workers_[i];
    if (!worker.thread.joinable()) {
      ++active_;
      worker_count_.store(i + 1, std::memory_order_release);
      worker.thread = quiet_thread([this, &worker] { worker_main(worker); });
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
  // In a replay no time is up but those that have been noted.
  bool is_noted = course_ && course_->repeats() && until_ != Until::TasksEnd;
  if (!clock_.is_mocked() && clock_.next_due() != kNever && !is_noted) return false;
  for (auto& worker : workers_) {
    if (worker->inbox.load(std::memory_order_seq_cst) || worker->fresh_size.load() != 0) return false;
  }
  return true;
}

// A short while during which somebody may have something for this worker, so that neither has to call the
// kernel. True when there is. A worker that has waited in vain gives up sooner the next time.
bool Scheduler::watch_for_work(Worker& worker) {
  constexpr int kLooks = 32;
  if (is_alone() || worker_limit_ == 1) return false;
  Nanoseconds start = steady_now();
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (worker.inbox.load(std::memory_order_relaxed) || worker.fresh_size.load(std::memory_order_relaxed) != 0) {
        worker.spin_time = kSpinTime;
        return true;
      }
      __builtin_ia32_pause();
    }
  } while (steady_now() - start < worker.spin_time && !vm_.has_stop() && !ending_);
  worker.spin_time /= 2;
  return false;
}

// Waits until the worker is called, time has passed, or it is time to look around again.
void Scheduler::go_idle(Worker& worker, Nanoseconds look_again) {
  constexpr size_t kSome = 10'000;
  if (has_remains) return work_off_remains(kSome);
  bool is_noted = course_ && course_->repeats();
  if (is_noted) {
    // Nothing else can happen before what is next, though fewer moments have passed than in the recording: the program, or
    // the runtime, is another one.
    constexpr int kMostMoments = 100'000;
    bool waits_outside = external_.load() != 0;
    for (int i = 0; i < (waits_outside ? 1 : kMostMoments); ++i) {
      course_->bring_about(*this);
      if (first_ || has_others()) return;
      if (!waits_outside) course_->pass();
    }
  }
  if ((!is_noted || until_ == Until::TasksEnd) && follow_clock(worker)) return;
  Nanoseconds began = steady_now();
  worker.looking.store(true, std::memory_order_relaxed);
  if (!watch_for_work(worker)) sleep(worker, look_again);
  worker.looking.store(false, std::memory_order_relaxed);
  worker.time_idle += steady_now() - began;
  worker.recent_time = clock_.now();
}

void Scheduler::sleep(Worker& worker, Nanoseconds look_again) {
  uint32_t seen = worker.signal.load();
  bool is_main = worker.number == 0;
  bool stuck;
  {
    std::lock_guard lock(idle_lock_);
    worker.idle.store(true, std::memory_order_seq_cst);
    --active_;
    stuck = is_stuck();
  }
  give_back_credits();
  bool has_work = worker.inbox.load(std::memory_order_seq_cst) || worker.fresh_size.load() != 0 || vm_.has_stop() ||
                  ending_ || (is_main && has_host_calls());
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
  if (has_monitor_.load(std::memory_order_relaxed)) watch();
  if (!stuck) return;
  if (is_main) report_deadlock();
  else poke();  // the first worker sees it too, and reports
}

// ---- the loop ----

Worker::Worker(Scheduler& scheduler, unsigned number)
    : scheduler(scheduler), number(number), stacks(Scheduler::loop_main, this) {}

void Scheduler::loop_main(void* argument) {
  auto& worker = *static_cast<Worker*>(argument);
  for (;;) {
    std::exception_ptr failure;
    // Nothing may be thrown past the end of the stack.
    try {
      worker.scheduler.loop(worker);
    } catch (...) {
      failure = std::current_exception();
    }
    worker.stacks.leave(std::move(failure));
  }
}

bool Scheduler::is_over(const Worker& worker) const {
  if (stands_still_.load(std::memory_order_relaxed)) return true;
  if (worker.number != 0) return ending_;
  if (until_ == Until::RootEnds) return root_->finished;
  if (until_ == Until::CallsEnd) return vm_.has_stop() || stopping_ || host_calls()->is_done();
  return time_is_up_ || live_tasks_.load(std::memory_order_acquire) == 0;
}

void Scheduler::loop(Worker& worker) {
  for (uint32_t rounds = 0; !is_over(worker); ++rounds) {
    if ((rounds & 63) == 0) poll();
    if (course_ && course_->repeats()) course_->bring_about(*this);
    if (worker.number == 0) {
      start_beside_root();
      start_host_calls();
    }
    if (Task* task = next_task(worker)) {
      worker.steal_tries = 0;
      run_task(worker, *task);
      continue;
    }
    fire_timers();
    if (worker.ready.size() != 0 || is_over(worker)) continue;
    if (worker.number != 0) look_for_work(worker);
    else if (!deliver_stop()) go_idle(worker, kNever);
  }
}

void Scheduler::look_for_work(Worker& worker) {
  if (steal(worker)) {
    worker.steal_tries = 0;
  } else if (++worker.steal_tries > kStealTries) {
    helper_asleep_ = true;
    go_idle(worker, kNever);
    worker.steal_tries = 0;
  } else {
    go_idle(worker, kStealEvery);
  }
}

void Scheduler::worker_main(Worker& worker) {
  this_worker = &worker;
  use_credits();
  worker.stacks.run();
  work_off_remains(SIZE_MAX);
  drop_credits();
  this_worker = nullptr;
}

void Scheduler::stop_helpers() {
  {
    std::lock_guard lock(idle_lock_);
    ending_ = true;
  }
  for (auto& worker : workers_) {
    if (!worker->thread.joinable()) continue;
    worker->signal.fetch_add(1);
    futex_wake(worker->signal);
    worker->thread.join();
  }
}

// ---- checkpoints ----

bool Scheduler::has_others() const {
  const Worker& worker = *this_worker;
  return worker.ready.size() != 0 || worker.fresh_size.load(std::memory_order_relaxed) != 0 ||
         worker.inbox.load(std::memory_order_relaxed);
}

// A deadline that was passed by a program that computes is passed in its replay, too, though not after exactly as many
// steps: when it has computed for longer than it can have had, on a machine that may be slower.
void Scheduler::follow_computation(Worker& worker) {
  constexpr Nanoseconds kPatience = 200 * kMillisecond;
  Nanoseconds due = clock_.next_due();
  if (due != kNever && (clock_.time_since_followed() - kPatience) / 2 > due - clock_.now()) follow_clock(worker);
}

void Scheduler::attend() {
  // First: what happens while we look makes us look again.
  this_worker->pace.attention.store(false, std::memory_order_seq_cst);
  if (course_ && course_->repeats()) {
    course_->bring_about(*this);
  } else {
    if (clock_.is_following()) follow_computation(*this_worker);
    if (clock_.next_due() != kNever) fire_by_clock();
  }
  deliver_stop();
}

bool Scheduler::poll() {
  Worker& worker = *this_worker;
  look_for_help(worker);
  worker.recent_time = clock_.now();
  if (++worker.polls % kCreditPolls == 0) give_back_credits();
  attend();
  if (time_is_up_.load(std::memory_order_relaxed) || stands_still()) return true;
  if (first_) return true;
  if (worker.number == 0 && (!beside_root_.empty() || has_host_calls())) return true;
  if (worker.ready.size() != 0 || worker.inbox.load(std::memory_order_relaxed)) return true;
  size_t fresh = worker.fresh_size.load(std::memory_order_relaxed);
  if (fresh == 0) return false;
  // Others have time to take the tasks that have not begun before this one makes room for them.
  if (worker_limit_ == 1 || worker.is_late || ++worker.fresh_polls > kFreshPolls) return true;
  bool is_starting = std::exchange(worker.spawned_polled, worker.spawned) != worker.spawned;
  if (!is_starting || fresh <= kCrowd) return false;
  worker.first_come = worker.orders;
  return true;
}

}  // namespace harn::vm
