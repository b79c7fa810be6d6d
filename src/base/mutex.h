#pragma once

#include <mutex>

namespace harn {

// While it is not 0, the task that this thread runs does not make room for others in the middle of what it does (vm/pace.h):
// they would wait for it, and it for them.
inline constinit thread_local int undivided = 0;

// For code that is in one piece for another reason than a mutex.
class Undivided {
 public:
  Undivided() { ++undivided; }
  ~Undivided() { --undivided; }
  Undivided(const Undivided&) = delete;
};

// Code that runs in tasks may walk values, make texts and compare under one of these. Works with std::lock_guard; a
// condition_variable wants a std::mutex, under which code must not do so.
class Mutex {
 public:
  void lock() {
    mutex_.lock();
    ++undivided;
  }
  bool try_lock() {
    bool is_mine = mutex_.try_lock();
    undivided += is_mine;
    return is_mine;
  }
  void unlock() {
    --undivided;
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

}  // namespace harn
