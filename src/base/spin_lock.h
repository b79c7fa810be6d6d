#pragma once

#include <sched.h>

#include <atomic>

namespace harn {

// Whether more than one thread uses values and locks. Set once, before the second thread begins, and
// never while a lock is held: until then counts and locks cost no atomic instructions.
inline std::atomic<bool> several_threads{false};
inline bool is_alone() { return !several_threads.load(std::memory_order_relaxed); }

// How many of these and of mutexes this thread holds, where somebody looks: code that holds one does not make room for other tasks.
#ifdef HARN_SANITIZED
inline constinit thread_local int locks_held = 0;
inline void count_lock(int more) { locks_held += more; }
inline bool holds_no_lock() { return locks_held == 0; }
#else
inline void count_lock(int) {}
inline bool holds_no_lock() { return true; }
#endif

// Guards a few instructions. Works with std::lock_guard.
class SpinLock {
 public:
  void lock() {
    count_lock(1);
    if (is_alone()) return;
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) {
      // The holder may have been put aside by the kernel.
      if (tries > 100) sched_yield();
      while (taken_.load(std::memory_order_relaxed) && tries <= 100) {
        __builtin_ia32_pause();
        ++tries;
      }
    }
  }
  void unlock() {
    count_lock(-1);
    taken_.store(false, std::memory_order_release);
  }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace harn
