#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/spin_lock.h"

// Time as the program sees it, and what is to happen when. A test may stop the clock and move it by
// hand: sleeps, timeouts and deadlines follow.
namespace harn::vm {

class Host;
struct Task;

using Nanoseconds = int64_t;
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kNever = INT64_MAX;
Nanoseconds steady_now();

// One thing that happens at one time. Lives in what it belongs to, which must take it out (Clock::remove)
// before it goes.
struct Timer {
  static constexpr uint32_t kIdle = UINT32_MAX;
  Nanoseconds due = 0;
  uint64_t order = 0;      // timers that are due at the same time fire in the order they were set
  uint32_t place = kIdle;  // in the heap
  // Called with the clock's lock held: takes note and returns. What it returns is woken afterwards.
  void (*fire)(Timer& timer, std::vector<Task*>& woken) = nullptr;
};

class Clock {
 public:
  explicit Clock(Host& host);

  // A clock that never goes back. Milliseconds that the program sees are derived from it.
  Nanoseconds now();
  int64_t wall_ms();
  int64_t elapsed_ms();

  void mock(int64_t wall_ms);
  void unmock();
  bool is_mocked() const { return mocked_.load(std::memory_order_relaxed); }
  int64_t advance(Nanoseconds by);  // the new wall clock, in milliseconds

  // For a replay: from now on time stands still and goes to what is known to happen next, but never back. A program
  // that stops the clock itself (`mock`) does so as ever.
  void follow();
  bool is_following() const { return following_.load(std::memory_order_relaxed); }
  void follow_to(Nanoseconds at);
  // How long ago that was, as people count.
  Nanoseconds time_since_followed() const;

  // What a clock in another process needs to go on where this one is. A mocked one stands still until then; any other
  // has gone on by as much as the wall clock.
  struct Reading {
    bool is_mocked = false;
    Nanoseconds now = 0;
    int64_t wall_ms = 0;  // the host's
    Nanoseconds start = 0;
    int64_t mock_wall_ms = 0;
    Nanoseconds mock_start = 0;
  };
  Reading read();
  // Before any timer is set.
  void go_on_from(const Reading& reading);

  void add(Timer& timer, Nanoseconds due);
  void remove(Timer& timer);  // fine when it is not set
  // When the first timer is due; kNever when there is none.
  Nanoseconds next_due() const { return next_due_.load(std::memory_order_relaxed); }
  // Fires everything that is due.
  void fire_due(std::vector<Task*>& woken);
  // Fires the first that the function is true for, due or not. False when there is none.
  template <class Is>
  bool fire_one(Is is, std::vector<Task*>& woken) {
    std::lock_guard lock(lock_);
    for (Timer* timer : heap_) {
      if (!is(*timer)) continue;
      remove_locked(*timer);
      timer->fire(*timer, woken);
      return true;
    }
    return false;
  }

 private:
  void sift_up(size_t place);
  void sift_down(size_t place);
  void set(size_t place, Timer* timer);
  void remove_locked(Timer& timer);
  static bool before(const Timer& a, const Timer& b) { return a.due != b.due ? a.due < b.due : a.order < b.order; }

  Host& host_;  // the wall clock is the host's
  SpinLock lock_;
  std::vector<Timer*> heap_;
  uint64_t orders_ = 0;
  std::atomic<Nanoseconds> next_due_{kNever};

  // now() = steady clock + shift_, or, while it stands still (mocked or following), frozen_.
  std::atomic<bool> is_still_{false};
  std::atomic<bool> mocked_{false};
  std::atomic<bool> following_{false};
  std::atomic<Nanoseconds> followed_at_{0};  // steady clock
  std::atomic<Nanoseconds> shift_{0};
  std::atomic<Nanoseconds> frozen_{0};
  std::atomic<Nanoseconds> start_;          // where elapsed_ms counts from
  std::atomic<int64_t> mock_wall_ms_{0};    // the wall clock when it was stopped
  std::atomic<Nanoseconds> mock_start_{0};  // now() when it was stopped
};

}  // namespace harn::vm
