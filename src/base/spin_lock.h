#pragma once

#include <sched.h>

#include <atomic>

namespace harn {

// Guards a few instructions. Works with std::lock_guard.
class SpinLock {
 public:
  void lock() {
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) {
      // The holder may have been put aside by the kernel.
      if (tries > 100) sched_yield();
      while (taken_.load(std::memory_order_relaxed) && tries <= 100) {
        __builtin_ia32_pause();
        ++tries;
      }
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace harn
