#include "vm/aside.h"

#include <mutex>
#include <optional>

#include "base/assert.h"
#include "base/mutex.h"
#include "base/spin_lock.h"
#include "vm/course.h"
#include "vm/fiber.h"
#include "vm/futex.h"
#include "vm/job_pool.h"
#include "vm/pace.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"

namespace harn::vm {

namespace {

struct Job : JobPool::Job {
  explicit Job(std::function<void()> work) : work(std::move(work)) {}
  std::optional<Completion> completion;  // when the task waits for it

  std::function<void()> work;
  std::exception_ptr failure;
  std::atomic<uint32_t> has_ended{0};  // written last: the worker reads the others after it
  Mutex mutex;
  Value kept;  // once nobody waits: what the work still reads

  void run() noexcept override {
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

}  // namespace

// How often a task looks up while it waits depends on time: all that happens meanwhile is noted for one moment, and in a
// replay it happens before the work is begun.
static void pass_moment() {
  Course* course = this_worker ? this_worker->scheduler.course() : nullptr;
  if (!course || this_worker->running->is_inside_effect()) return;
  course->pass();
  if (course->repeats()) take_stop();
}

void run_aside(std::function<void()> work, const Value& keeps) {
  pass_moment();
  auto job = std::make_shared<Job>(std::move(work));
  if (Completion::may_wait()) job->completion.emplace();
  JobPool::get().add(job);
  try {
    job->wait();
  } catch (const Stopped&) {
    if (!JobPool::get().take_back(*job)) job->abandon(keeps);
    throw;
  }
  pass_moment();
  if (job->failure) std::rethrow_exception(job->failure);
}

void drop_aside(std::shared_ptr<void> made) {
  JobPool::get().add(std::make_shared<Job>([made = std::move(made)] {}));
}

}  // namespace harn::vm
