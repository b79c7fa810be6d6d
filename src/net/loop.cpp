#include "net/loop.h"

#include <pthread.h>
#include <sys/resource.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "base/assert.h"
#include "base/quiet_thread.h"
#include "base/spin_lock.h"
#include "net/asio_loop.h"

namespace harn::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr rlim_t kMostFiles = 65'536;

rlimit raise_file_limit() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit wanted = before;
  wanted.rlim_cur = std::max(before.rlim_cur, std::min(before.rlim_max, kMostFiles));
  if (wanted.rlim_cur != before.rlim_cur) setrlimit(RLIMIT_NOFILE, &wanted);
  return before;
}

class Loop {
 public:
  static Loop& get() {
    static auto* loop = new Loop;  // never destroyed: its thread runs until the process ends
    return *loop;
  }

  asio::io_context& context() { return context_; }
  const rlimit& files_before() const { return files_before_; }

 private:
  Loop() : files_before_(raise_file_limit()) {
    // Callbacks take locks on the new thread, maybe before whoever started it waits.
    several_threads = true;
    thread_ = quiet_thread([this] {
      pthread_setname_np(pthread_self(), "harn-io");
      context_.run();
    });
  }

  rlimit files_before_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  std::thread thread_;
};

}  // namespace

asio::io_context& io_context() { return Loop::get().context(); }

void post(Job job) { asio::post(Loop::get().context(), std::move(job)); }

size_t file_limit() {
  rlimit now{};
  getrlimit(RLIMIT_NOFILE, &now);
  return now.rlim_cur == RLIM_INFINITY ? kMostFiles : now.rlim_cur;
}

void restore_file_limit(int pid) { prlimit(pid, RLIMIT_NOFILE, &Loop::get().files_before(), nullptr); }

// ---- file descriptors ----

// Outlives the watch until the last wait has been called off.
struct FdWatch::State : std::enable_shared_from_this<FdWatch::State> {
  State(int fd, Ready ready) : descriptor(Loop::get().context()), ready(std::move(ready)) {
    error_code error;
    descriptor.assign(fd, error);
    HARN_ASSERT(!error, "the I/O thread cannot watch a file descriptor");
  }

  // Asio waits for one event at a time: each that is wanted has one wait under way.
  void arm() {
    arm(kRead, reading, asio::posix::descriptor_base::wait_read);
    arm(kWrite, writing, asio::posix::descriptor_base::wait_write);
  }
  void arm(Events event, bool& waiting, asio::posix::descriptor_base::wait_type type) {
    if (!(wanted & event) || waiting || is_over) return;
    waiting = true;
    descriptor.async_wait(type, [self = shared_from_this(), event, &waiting](error_code error) {
      waiting = false;
      if (self->is_over) return;
      if (!error && (self->wanted & event)) self->ready(event);
      self->arm();
    });
  }

  asio::posix::stream_descriptor descriptor;
  Ready ready;
  unsigned wanted = kNone;
  bool reading = false;
  bool writing = false;
  bool is_over = false;
};

FdWatch::FdWatch(int fd, Ready ready) : state_(std::make_shared<State>(fd, std::move(ready))) {}

FdWatch::~FdWatch() {
  state_->is_over = true;
  state_->descriptor.release();
}

void FdWatch::want(unsigned events) {
  state_->wanted = events;
  state_->arm();
}

// ---- timers ----

struct LoopTimer::State {
  explicit State(Job due) : timer(Loop::get().context()), due(std::move(due)) {}
  asio::steady_timer timer;
  Job due;
  uint64_t round = 0;  // a timer that has fired but was not called yet cannot be stopped otherwise
};

LoopTimer::LoopTimer(Job due) : state_(std::make_shared<State>(std::move(due))) {}

LoopTimer::~LoopTimer() { stop(); }

void LoopTimer::start(std::chrono::milliseconds after) {
  uint64_t round = ++state_->round;
  auto due = [state = state_, round](error_code = {}) {
    if (state->round == round) state->due();
  };
  if (after.count() == 0) return asio::post(Loop::get().context(), due);
  state_->timer.expires_after(after);
  state_->timer.async_wait(due);
}

void LoopTimer::stop() {
  ++state_->round;
  state_->timer.cancel();
}

}  // namespace harn::net
