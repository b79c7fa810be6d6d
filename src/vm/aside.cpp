#include "vm/aside.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/assert.h"
#include "base/quiet_thread.h"
#include "base/spin_lock.h"
#include "vm/fiber.h"
#include "vm/futex.h"
#include "vm/pace.h"
#include "vm/transfer.h"

namespace harn::vm {

namespace {

struct Job {
  explicit Job(std::function<void()> work) : work(std::move(work)) {}
  std::optional<Completion> completion;  // when the task waits for it

  std::function<void()> work;
  std::exception_ptr failure;
  std::atomic<uint32_t> has_ended{0};  // written last: the worker reads the others after it
  std::mutex mutex;
  Value kept;  // once nobody waits: what the work still reads

  void run() {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    {
      std::lock_guard lock(mutex);
      has_ended.store(1, std::memory_order_release);
    }
    if (completion) completion->finish();
    else futex_wake(has_ended);
  }

  // In the task: until the work has ended.
  void wait() {
    constexpr Nanoseconds kLookEvery = kMillisecond;
    if (completion) return void(completion->wait("a computation"));
    while (!has_ended.load(std::memory_order_acquire)) {
      futex_wait(has_ended, 0, kLookEvery);
      heed();
    }
  }

  // The worker goes away. The text changes hands: from now on two threads count it.
  void abandon(const Value& keeps) {
    several_threads = true;
    bool is_plain = freeze(keeps);
    HARN_ASSERT(is_plain, "work aside keeps texts only");
    std::lock_guard lock(mutex);
    if (!has_ended.load(std::memory_order_relaxed)) kept = keeps;
  }
};

// Threads that wait for jobs; each does one at a time. A new one is started when all are busy.
class Helpers {
 public:
  static Helpers& get() {
    static auto* instance = new Helpers;  // never destroyed: work for nobody may outlive main
    return *instance;
  }

  void add(std::shared_ptr<Job> job) {
    std::lock_guard lock(mutex_);
    if (idle_ <= waiting_.size() && threads_.size() < kMost && !start_thread() && threads_.empty()) {
      return job->run();  // no thread to be had: then in place
    }
    waiting_.push_back(std::move(job));
    wakeup_.notify_one();
  }

 private:
  // More than that are searches that nobody wants any more: those have to end first.
  static constexpr size_t kMost = 32;

  bool start_thread() {
    try {
      threads_.push_back(quiet_thread([this] { main(); }));
    } catch (const std::system_error&) {
      return false;
    }
    ++idle_;
    return true;
  }

  void main() {
    pthread_setname_np(pthread_self(), "harn-aside");
    std::unique_lock lock(mutex_);
    for (;;) {
      wakeup_.wait(lock, [this] { return !waiting_.empty(); });
      std::shared_ptr<Job> job = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
      lock.unlock();
      job->run();
      job.reset();
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable wakeup_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
};

}  // namespace

void run_aside(std::function<void()> work, const Value& keeps) {
  auto job = std::make_shared<Job>(std::move(work));
  if (Completion::may_wait()) job->completion.emplace();
  Helpers::get().add(job);
  try {
    job->wait();
  } catch (const Stopped&) {
    job->abandon(keeps);
    throw;
  }
  if (job->failure) std::rethrow_exception(job->failure);
}

void drop_aside(std::shared_ptr<void> made) {
  Helpers::get().add(std::make_shared<Job>([made = std::move(made)] {}));
}

}  // namespace harn::vm
