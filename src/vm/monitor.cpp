// A thread that watches the workers: it makes those that compute look up when a timer is due or somebody has
// sent them something. Started when there first is something to watch, and asleep while there is nothing.
#include <pthread.h>

#include <algorithm>

#include "base/quiet_thread.h"
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

void look_up() {
  // Some ten microseconds of work, which count as this many passes of a loop.
  constexpr int32_t kSteps = 4'000;
  constexpr int32_t kPasses = 100;
  // What a task may use up before others have a turn, as in a loop.
  constexpr int32_t kTurn = 5'000;
  int32_t used = kSteps - std::exchange(steps_left, kSteps);
  Worker* worker = this_worker;
  if (!worker || !worker->interpreter) return;
  let_others_in();
  auto& budget = worker->pace.budget;
  int32_t left = budget.load(std::memory_order_relaxed) - used / kSteps * kPasses;
  budget.store(left, std::memory_order_relaxed);
  if (worker->pace.is_raised()) return worker->interpreter->look_up();
  bool is_eager = worker->scheduler.vm().options().eager_workers;
  if (is_eager) steps_left = kSteps / 1'000;
  if (left > -kTurn && !is_eager) return;
  budget.store(0, std::memory_order_relaxed);
  worker->interpreter->end_turn();
}

void heed() {
  Worker* worker = this_worker;
  if (worker && worker->interpreter && worker->pace.is_raised()) worker->interpreter->look_up();
}

Undisturbed::Undisturbed() : worker_(this_worker) {
  if (worker_) interpreter_ = std::exchange(worker_->interpreter, nullptr);
}

Undisturbed::~Undisturbed() {
  if (worker_) worker_->interpreter = interpreter_;
}

}  // namespace harn::vm
