#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

#include "vm/clock.h"

// Threads that sleep until a word changes: the sleeper says which value it has seen, so that a change just before it falls
// asleep is not missed. Either side may wake for nothing; look at the word again.
namespace harn::vm {

inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, Nanoseconds timeout) {
  timespec time{timeout / 1'000'000'000, timeout % 1'000'000'000};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, timeout == kNever ? nullptr : &time,
          nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace harn::vm
