#include "vm/job_pool.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "base/quiet_thread.h"
#include "vm/fiber.h"

namespace harn::vm {

static constinit thread_local bool is_of_pool = false;

JobPool& JobPool::get() {
  static auto* instance = new JobPool;  // never destroyed: work for nobody may outlive main
  return *instance;
}

void JobPool::add(std::shared_ptr<Job> job) {
  {
    std::lock_guard lock(mutex_);
    bool has_thread = idle_ > waiting_.size() || threads_ >= most_ || start_thread() || threads_ > 0;
    if (has_thread) {
      waiting_.push_back(std::move(job));
      wakeup_.notify_one();
      return;
    }
  }
  job->run();  // no thread to be had: then in place
}

bool JobPool::take_back(const Job& job) {
  std::shared_ptr<Job> taken;  // what it holds is let go without the lock
  std::lock_guard lock(mutex_);
  auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) { return one.get() == &job; });
  if (found == waiting_.end()) return false;
  taken = std::move(*found);
  waiting_.erase(found);
  return true;
}

// Nobody joins them: one may be in the middle of something endless when the process ends.
bool JobPool::start_thread() {
  try {
    quiet_thread([this] { main(); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  ++threads_;
  ++idle_;
  return true;
}

void JobPool::main() {
  constexpr std::chrono::seconds kIdleTime(10);
  pthread_setname_np(pthread_self(), "harn-jobs");
  is_of_pool = true;
  std::unique_lock lock(mutex_);
  while (wakeup_.wait_for(lock, kIdleTime, [this] { return !waiting_.empty(); })) {
    std::shared_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    lock.unlock();
    job->run();
    job.reset();
    lock.lock();
    ++idle_;
  }
  --idle_;
  --threads_;
}

JobPool::Waits::Waits() {
  if (!is_of_pool) return;
  JobPool& pool = get();
  std::lock_guard lock(pool.mutex_);
  ++pool.most_;
  // Those in line may be what it waits for.
  if (pool.idle_ < pool.waiting_.size()) pool.start_thread();
}

JobPool::Waits::~Waits() {
  if (!is_of_pool) return;
  JobPool& pool = get();
  std::lock_guard lock(pool.mutex_);
  --pool.most_;
}

namespace {

struct BlockingJob : JobPool::Job {
  explicit BlockingJob(std::function<void()> work) : work(std::move(work)) {}
  void run() noexcept override {
    std::exchange(work, {})();  // what it holds goes before the task goes on
    completion.finish();
  }
  std::function<void()> work;
  Completion completion;
};

}  // namespace

Wake run_blocking(const char* what, std::function<void()> work) {
  auto job = std::make_shared<BlockingJob>(std::move(work));
  JobPool::get().add(job);
  Wake woken = job->completion.wait(what);
  if (woken == Wake::Cancelled) JobPool::get().take_back(*job);
  return woken;
}

Wake run_blocking(const char* what, std::function<void()> work, const std::function<void()>& interrupt) {
  auto job = std::make_shared<BlockingJob>(std::move(work));
  JobPool::get().add(job);
  Wake woken = job->completion.wait(what);
  if (woken == Wake::Value || JobPool::get().take_back(*job)) return woken;
  interrupt();
  job->completion.wait(what);
  return woken;
}

}  // namespace harn::vm
