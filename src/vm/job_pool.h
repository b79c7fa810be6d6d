#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "vm/wait.h"

// Threads for work that no worker should be kept with: calls that block (files, name look-ups, functions of the host),
// and libraries that cannot be stopped in the middle (aside.h).
//
//   struct Shared { std::string path; std::string text; };   // both sides hold it: the task may be gone before the work is
//   auto shared = std::make_shared<Shared>(path);
//   if (run_blocking("a read", [shared] { shared->text = read(shared->path); }) == Wake::Cancelled) return stopped_error();
//
// Such work neither makes nor touches values: those are counted by the task that owns them.
namespace harn::vm {

// Runs `work` on another thread and lets the task wait, on a fiber, until it has ended: Wake::Value. When the task is told
// to stop it is Wake::Cancelled at once: work that has not begun never will, work that has goes on for nobody. `work` must
// not throw.
Wake run_blocking(const char* what, std::function<void()> work);
// The same for work that uses what the caller has: once it has begun it is waited for, after `interrupt` was called to make
// it end soon.
Wake run_blocking(const char* what, std::function<void()> work, const std::function<void()>& interrupt);

// One for the process: threads are started when all others are busy, and end when there is nothing to do for a while. At most
// `kMostThreads` work at a time; further jobs wait in line.
class JobPool {
 public:
  static constexpr size_t kMostThreads = 32;

  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() noexcept = 0;
  };

  static JobPool& get();

  void add(std::shared_ptr<Job> job);
  // True when the job has not begun: then it never will.
  bool take_back(const Job& job);

  // While one lives on a thread of the pool, that waits for something which may need the pool itself: it does not count.
  class Waits {
   public:
    Waits();
    ~Waits();
    Waits(const Waits&) = delete;
  };

 private:
  bool start_thread();
  void main();

  std::mutex mutex_;
  std::condition_variable wakeup_;
  std::deque<std::shared_ptr<Job>> waiting_;
  size_t threads_ = 0;
  size_t idle_ = 0;
  size_t most_ = kMostThreads;
};

}  // namespace harn::vm
