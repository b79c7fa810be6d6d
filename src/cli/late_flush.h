#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace harn::cli {

// Writes out what a program has printed when it is busy with something else: a reader at the other
// end of a pipe should not wait for the buffer to fill. One thread, started by the first `note`,
// asleep while nothing is noted.
class LateFlush {
 public:
  // `flush` is called on the thread; it must be safe beside the program.
  explicit LateFlush(std::function<void()> flush);
  ~LateFlush();  // ends the thread; does not flush
  LateFlush(const LateFlush&) = delete;

  // There is something to write soon. Cheap when that was said before; one caller at a time.
  void note() {
    if (!noted_.load(std::memory_order_relaxed)) wake();
  }

 private:
  struct Thread;  // <thread> stays in the .cpp file
  void wake();
  void run();

  std::function<void()> flush_;
  std::atomic<bool> noted_{false};
  std::unique_ptr<Thread> thread_;
};

}  // namespace harn::cli
