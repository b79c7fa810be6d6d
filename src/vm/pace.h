#pragma once

#include <atomic>
#include <cstdint>

#include "vm/error.h"
#include "vm/remains.h"

// When code that computes looks up: to let others run, and to see what was asked of its task meanwhile.
namespace harn::vm {

class Interpreter;
struct Worker;

// One for each worker.
struct Pace {
  // Calls and passes of loops until the interpreter's next checkpoint. Counted, not timed, so that tasks take
  // turns in the same order every time. The worker counts without locking: a store of another thread may
  // get lost, `attention` does not.
  std::atomic<int32_t> budget{0};
  // A timer is due, a signal came, a task was cancelled: the worker should look now.
  std::atomic<bool> attention{false};
  // Where the worker looks up is counted (course.h): nobody makes it do so earlier.
  std::atomic<bool> is_counted{false};

  // On any thread, and in signal handlers.
  void raise() {
    attention.store(true, std::memory_order_release);
    if (!is_counted.load(std::memory_order_relaxed)) budget.store(-1, std::memory_order_relaxed);
  }
  bool is_raised() const { return attention.load(std::memory_order_acquire); }
};

// What C++ code that was told to stop in the middle leaves by (see `step`). The interpreter turns it into
// the error of the program that it carries; nobody else catches it.
struct Stopped {
  Thrown error;
  Hurry hurry = {};  // what the code that is left was making is not freed now
};

extern constinit thread_local int32_t steps_left;
void look_up();
// Levels of sets that are being compared: see compare.cpp.
extern constinit thread_local int set_depth;

// C++ loops that a program can make as long as it likes call this as they go. A step stands for some
// nanoseconds: an item, or 64 bytes. Does not return when the running task has to stop, so what is held then
// must be held by objects. Under a lock it does not let others run: those of base/mutex.h count.
inline void step(size_t count = 1) {
  constexpr size_t kMost = 1 << 20;
  if ((steps_left -= static_cast<int32_t>(count < kMost ? count : kMost)) < 0) [[unlikely]]
    look_up();
}
inline void step_bytes(size_t count) { step(count / 64); }

// The same for code that waits for another thread: looks at once, and counts nothing, since how often it is called
// depends on time.
void heed();

// Before something that may keep this thread for a while: tasks that wait for a lock which the running one has left
// may go on.
void let_others_in();

// While one lives, `step` always returns: for destructors and for what must not be left half done.
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;

 private:
  Worker* worker_;
  Interpreter* interpreter_ = nullptr;
};

}  // namespace harn::vm
