// A thread that watches the workers: it makes those that compute look up when a timer is due or somebody has
// sent them something. Started when there first is something to watch, and asleep while there is nothing.
#include <pthread.h>

#include <algorithm>

#include "base/quiet_thread.h"
#include "vm/course.h"
#include "vm/effect_end.h"
#include "vm/futex.h"
#include "vm/interpreter.h"
#include "vm/scheduler.h"

namespace harn::vm {

constinit thread_local int32_t steps_left = 0;

namespace {

constexpr Nanoseconds kTick = 2 * kMillisecond;
// Ticks without anything to watch before it sleeps until it is called.
constexpr int kQuietTicks = 50;

}  // namespace

void Scheduler::raise_all() {
  for (unsigned i = worker_count_.load(std::memory_order_acquire); i-- > 0;) workers_[i]->pace.raise();
}

void Scheduler::watch() {
  if (watching_.load(std::memory_order_seq_cst)) return;
  std::lock_guard lock(monitor_lock_);
  if (watching_.exchange(true)) return;
  monitor_signal_.fetch_add(1);
  if (monitor_.joinable()) return futex_wake(monitor_signal_);
  monitor_ending_ = false;
  monitor_ = quiet_thread([this] { monitor_main(); });
  has_monitor_ = true;
}

// False when there is nothing to watch.
bool Scheduler::look_after_workers() {
  Nanoseconds due = clock_.is_mocked() ? kNever : clock_.next_due();
  bool is_due = due != kNever && due <= clock_.now();
  unsigned count = worker_count_.load(std::memory_order_acquire);
  bool any_active = false;
  for (unsigned i = 0; i < count; ++i) {
    Worker& worker = *workers_[i];
    if (worker.idle.load(std::memory_order_relaxed)) continue;
    any_active = true;
    // The budget again while it has not looked: the first store may have been lost.
    if (is_due || worker.inbox.load(std::memory_order_relaxed) || worker.pace.is_raised()) worker.pace.raise();
  }
  return any_active && (due != kNever || count > 1);
}

void Scheduler::monitor_main() {
  pthread_setname_np(pthread_self(), "harn-monitor");
  int quiet = 0;
  while (!monitor_ending_) {
    uint32_t seen = monitor_signal_.load();
    quiet = look_after_workers() ? 0 : quiet + 1;
    if (quiet > kQuietTicks) {
      watching_.store(false, std::memory_order_seq_cst);
      // Once more: whoever came before that believes that we are awake.
      if (!look_after_workers()) futex_wait(monitor_signal_, seen, kNever);
      watching_ = true;
      quiet = 0;
      continue;
    }
    // To the next timer, but not often: one that was due a moment ago is with the workers now.
    Nanoseconds left = clock_.is_mocked() ? kNever : clock_.next_due() - clock_.now();
    futex_wait(monitor_signal_, seen, left > kTick / 4 ? std::min(left, kTick) : kTick);
  }
}

void Scheduler::stop_monitor() {
  std::lock_guard lock(monitor_lock_);
  if (!monitor_.joinable()) return;
  monitor_ending_ = true;
  monitor_signal_.fetch_add(1);
  futex_wake(monitor_signal_);
  monitor_.join();
}

// ---- C++ code that computes ----

namespace {

// Some ten microseconds of work, and as many passes of a loop.
constexpr int32_t kSteps = 4'000;
constexpr int32_t kSlice = 500;

// Of an effect whose answer is being kept: see effect_end.h.
struct KeptPace {
  Task* task = nullptr;
  int32_t steps_left = 0;
  int32_t budget = 0;
  uint64_t tickets = 0;
};
constinit thread_local KeptPace kept_pace;

// Where it is counted. Inside an effect a task only hears what is asked of it.
bool is_inside_effect(const Worker& worker) { return worker.running && worker.running->is_inside_effect(); }
bool is_ending_effect(const Worker& worker) { return kept_pace.task && kept_pace.task == worker.running; }

}  // namespace

void begin_pace(Worker& worker) {
  steps_left = kSteps;
  worker.pace.budget.store(kSlice, std::memory_order_relaxed);
}

void take_stop() {
  Worker* worker = this_worker;
  if (worker && worker->interpreter) worker->interpreter->take_stop();
}

void look_up() {
  // What they count as.
  constexpr int32_t kPasses = 100;
  // What a task may use up before others have a turn, as in a loop.
  constexpr int32_t kTurn = 5'000;
  int32_t used = kSteps - std::exchange(steps_left, kSteps);
  Worker* worker = this_worker;
  if (!worker || !worker->interpreter) return;
  let_others_in();
  Course* course = worker->scheduler.course();
  if (course && is_ending_effect(*worker)) return;
  if (course && is_inside_effect(*worker)) return worker->interpreter->take_stop();
  auto& budget = worker->pace.budget;
  int32_t left = budget.load(std::memory_order_relaxed) - used / kSteps * kPasses;
  budget.store(left, std::memory_order_relaxed);
  if (course && left > -kTurn) {
    course->pass();
    return worker->interpreter->take_stop();
  }
  if (!course && worker->pace.is_raised()) return worker->interpreter->look_up();
  bool is_eager = worker->scheduler.vm().options().eager_workers;
  if (is_eager) steps_left = kSteps / 1'000;
  if (left > -kTurn && !is_eager) return;
  budget.store(0, std::memory_order_relaxed);
  worker->interpreter->end_turn();
}

void heed() {
  Worker* worker = this_worker;
  if (!worker || !worker->interpreter || !worker->pace.is_raised()) return;
  Course* course = worker->scheduler.course();
  if (course && (course->repeats() || is_ending_effect(*worker))) return;
  if (course) worker->interpreter->take_stop();
  else worker->interpreter->look_up();
}

InsideEffect::InsideEffect(Course& course) : course_(course.moment() != 0 ? &course : nullptr) {
  Worker* worker = this_worker;
  if (!course_ || !worker || !worker->running) return;
  if (worker->running->is_inside_effect()) {
    course_ = nullptr;  // another effect goes on
    return;
  }
  course_->pass();
  Task& task = *worker->running;
  task.own_effects().is_inside = true;
  steps_left_ = steps_left;
  budget_ = worker->pace.budget.load(std::memory_order_relaxed);
  tickets_ = task.tickets;
}

void InsideEffect::end() {
  Course* course = std::exchange(course_, nullptr);
  Worker* worker = this_worker;
  if (!course || !worker || !worker->running) return;
  kept_pace = {worker->running, steps_left_, budget_, tickets_};
  if (course->repeats() || std::uncaught_exceptions() > 0) end_effect();
}

void end_effect() {
  Worker* worker = this_worker;
  KeptPace kept = std::exchange(kept_pace, {});
  if (!kept.task || !worker || worker->running != kept.task) return;
  kept.task->own_effects().is_inside = false;
  worker->scheduler.course()->has_come_further = true;
  if (kept.task->tickets != kept.tickets) return begin_pace(*worker);  // it has waited, and this is another turn
  steps_left = kept.steps_left;
  worker->pace.budget.store(kept.budget, std::memory_order_relaxed);
}

Undisturbed::Undisturbed() : worker_(this_worker) {
  if (worker_) interpreter_ = std::exchange(worker_->interpreter, nullptr);
}

Undisturbed::~Undisturbed() {
  if (worker_) worker_->interpreter = interpreter_;
}

}  // namespace harn::vm
