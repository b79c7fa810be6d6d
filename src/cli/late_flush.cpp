#include "cli/late_flush.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/quiet_thread.h"

namespace harn::cli {

struct LateFlush::Thread {
  std::mutex lock;
  std::condition_variable changed;
  bool ending = false;
  std::thread thread;
};

LateFlush::LateFlush(std::function<void()> flush) : flush_(std::move(flush)) {}

LateFlush::~LateFlush() {
  if (!thread_) return;
  {
    std::lock_guard lock(thread_->lock);
    thread_->ending = true;
  }
  thread_->changed.notify_one();
  thread_->thread.join();
}

void LateFlush::wake() {
  if (thread_) {
    std::lock_guard lock(thread_->lock);
    noted_ = true;
    thread_->changed.notify_one();
    return;
  }
  noted_ = true;
  thread_ = std::make_unique<Thread>();
  thread_->thread = quiet_thread([this] { run(); });
}

void LateFlush::run() {
  // Long enough to gather many lines, too short to be noticed.
  constexpr auto kDelay = std::chrono::milliseconds(30);
  Thread& self = *thread_;
  std::unique_lock lock(self.lock);
  while (!self.ending) {
    self.changed.wait(lock, [&] { return self.ending || noted_; });
    self.changed.wait_for(lock, kDelay, [&] { return self.ending; });
    if (self.ending) return;
    noted_ = false;  // before writing: what comes during it is noted again
    lock.unlock();
    flush_();
    lock.lock();
  }
}

}  // namespace harn::cli
