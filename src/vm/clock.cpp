#include "vm/clock.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "vm/host.h"

namespace harn::vm {

Nanoseconds steady_now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Clock::Clock(Host& host) : host_(host), start_(steady_now()) {}

Nanoseconds Clock::now() {
  if (is_still_.load(std::memory_order_relaxed)) return frozen_.load(std::memory_order_relaxed);
  return steady_now() + shift_.load(std::memory_order_relaxed);
}

int64_t Clock::wall_ms() {
  if (is_mocked()) return mock_wall_ms_ + (frozen_ - mock_start_) / kMillisecond;
  return host_.now_ms();
}

int64_t Clock::elapsed_ms() { return (now() - start_) / kMillisecond; }

void Clock::mock(int64_t wall_ms) {
  std::lock_guard lock(lock_);
  Nanoseconds at = now();
  frozen_ = at;
  mock_start_ = at;
  start_ = at;  // a program under test counts from 0
  mock_wall_ms_ = wall_ms;
  mocked_ = true;
  is_still_ = true;
}

void Clock::unmock() {
  std::lock_guard lock(lock_);
  if (!is_mocked()) return;
  mocked_ = false;
  if (following_) return;
  shift_ = frozen_ - steady_now();
  is_still_ = false;
}

void Clock::follow() {
  std::lock_guard lock(lock_);
  frozen_ = now();
  following_ = true;
  is_still_ = true;
  followed_at_ = steady_now();
}

void Clock::follow_to(Nanoseconds at) {
  std::lock_guard lock(lock_);
  frozen_ = std::max(frozen_.load(), at);
  followed_at_ = steady_now();
}

Nanoseconds Clock::time_since_followed() const { return steady_now() - followed_at_; }

int64_t Clock::advance(Nanoseconds by) {
  {
    std::lock_guard lock(lock_);
    frozen_ += by;
  }
  return wall_ms();
}

Clock::Reading Clock::read() { return {is_mocked(), now(), host_.now_ms(), start_, mock_wall_ms_, mock_start_}; }

void Clock::go_on_from(const Reading& reading) {
  std::lock_guard lock(lock_);
  // A wall clock that was set back is no time that has passed.
  constexpr int64_t kMost = kNever / 4 / kMillisecond;
  Nanoseconds away = std::clamp<int64_t>(host_.now_ms() - reading.wall_ms, 0, kMost) * kMillisecond;
  start_ = reading.start;
  mock_wall_ms_ = reading.mock_wall_ms;
  mock_start_ = reading.mock_start;
  frozen_ = reading.now;
  shift_ = reading.now + away - steady_now();
  mocked_ = reading.is_mocked;
  is_still_ = reading.is_mocked;
}

// ---- the heap ----

void Clock::set(size_t place, Timer* timer) {
  heap_[place] = timer;
  timer->place = static_cast<uint32_t>(place);
}

void Clock::sift_up(size_t place) {
  Timer* timer = heap_[place];
  while (place > 0) {
    size_t parent = (place - 1) / 4;
    if (!before(*timer, *heap_[parent])) break;
    set(place, heap_[parent]);
    place = parent;
  }
  set(place, timer);
}

void Clock::sift_down(size_t place) {
  Timer* timer = heap_[place];
  for (;;) {
    size_t first = place * 4 + 1;
    if (first >= heap_.size()) break;
    size_t least = first;
    for (size_t i = first + 1; i < first + 4 && i < heap_.size(); ++i) {
      if (before(*heap_[i], *heap_[least])) least = i;
    }
    if (!before(*heap_[least], *timer)) break;
    set(place, heap_[least]);
    place = least;
  }
  set(place, timer);
}

void Clock::add(Timer& timer, Nanoseconds due) {
  std::lock_guard lock(lock_);
  timer.due = due;
  timer.order = ++orders_;
  heap_.push_back(&timer);
  sift_up(heap_.size() - 1);
  next_due_ = heap_[0]->due;
}

void Clock::remove_locked(Timer& timer) {
  size_t place = std::exchange(timer.place, Timer::kIdle);
  Timer* last = heap_.back();
  heap_.pop_back();
  if (last != &timer) {
    set(place, last);
    sift_down(place);
    sift_up(last->place);
  }
  next_due_ = heap_.empty() ? kNever : heap_[0]->due;
}

void Clock::remove(Timer& timer) {
  std::lock_guard lock(lock_);
  if (timer.place != Timer::kIdle) remove_locked(timer);
}

void Clock::fire_due(std::vector<Task*>& woken) {
  std::lock_guard lock(lock_);
  Nanoseconds at = now();
  while (!heap_.empty() && heap_[0]->due <= at) {
    Timer& timer = *heap_[0];
    remove_locked(timer);
    timer.fire(timer, woken);
  }
}

}  // namespace harn::vm
