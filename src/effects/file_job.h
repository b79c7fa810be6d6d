#pragma once

#include <poll.h>
#include <sys/stat.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

#include "base/mutex.h"
#include "effects/file_failure.h"
#include "vm/fiber.h"
#include "vm/job_pool.h"
#include "vm/scheduler.h"

// Work on files that may take long, on a thread of the job pool while the task waits.
//
//   auto text = HARN_TRY(on_file_thread("a read", Leave::AtOnce, [path](Stop& stop) { return read_all(path, stop); }));
//
// The work holds copies of what it needs: the task may be gone before it ends. It makes and touches no values.
namespace harn::effects {

// Tells work on another thread to end. Shared by the task and the work.
class Stop {
 public:
  Stop() = default;
  ~Stop();
  Stop(const Stop&) = delete;

  // By the task. Ends a `wait` that is under way.
  void request();
  bool is_requested() const { return requested_.load(std::memory_order_relaxed); }
  // By the work: until the descriptor is ready, if there is one, or the time is over. False: it is to end.
  bool wait(int fd, short events, int timeout_ms = -1);

 private:
  std::atomic<bool> requested_ = false;
  Mutex lock_;
  int event_ = -1;  // made by the first that waits
};

// What becomes of work that has begun when the task is told to stop: it is left to end by itself, or, where it changes
// something, waited for, so that nothing happens after the task has gone. A read of a regular file may hang for ever, on a disk
// that is far away; a read of anything else ends when it is told to, and others may see that it is there.
enum class Leave : uint8_t { AtOnce, AfterTheEnd };
inline Leave leave_of(const struct stat& info) { return S_ISREG(info.st_mode) ? Leave::AtOnce : Leave::AfterTheEnd; }

// `work(stop)` gives a FileResult. In place where the task cannot wait. Fails with the work's failure; a task that was told to
// stop gets ECANCELED, which nobody sees.
template <class Work>
auto on_file_thread(const char* what, Leave leave, Work work) -> decltype(work(std::declval<Stop&>())) {
  using Answer = decltype(work(std::declval<Stop&>()));
  struct Shared {
    explicit Shared(Work work) : work(std::move(work)) {}
    Work work;
    Stop stop;
    Answer answer = file_failed(ECANCELED);
    void run() noexcept {
      try {
        answer = work(stop);
      } catch (const std::bad_alloc&) {
        answer = file_failed(ENOMEM);
      }
    }
  };
  auto shared = std::make_shared<Shared>(std::move(work));
  vm::Task* task = vm::Scheduler::current_or_null();
  if (!task || !task->fiber) {
    shared->run();
    return std::move(shared->answer);
  }
  if (leave == Leave::AfterTheEnd) {
    vm::run_blocking(
        what, [shared] { shared->run(); }, [shared] { shared->stop.request(); });
  } else if (vm::run_blocking(what, [shared] { shared->run(); }) == vm::Wake::Cancelled) {
    shared->stop.request();
    return file_failed(ECANCELED);
  }
  return std::move(shared->answer);
}

}  // namespace harn::effects
