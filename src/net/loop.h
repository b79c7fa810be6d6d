#pragma once

#include <chrono>
#include <functional>
#include <memory>

// The I/O thread: one per process, started on first use, never ended. It watches file descriptors and
// keeps time for what is in this folder. Nothing on it may block.
namespace harn::net {

using Job = std::move_only_function<void()>;

// Runs the job on the I/O thread. Any thread.
void post(Job job);

// How many files the process may have open. Starting the I/O thread raises the soft limit as far as it
// may; children are given the old one back (restore_file_limit).
size_t file_limit();
void restore_file_limit(int pid);

// Says when a file descriptor can be read or written. Only on the I/O thread; the descriptor stays the
// caller's and must outlive the watch.
class FdWatch {
 public:
  enum Events : unsigned { kNone = 0, kRead = 1, kWrite = 2 };
  // `ready` gets kRead or kWrite; it may change or destroy the watch.
  using Ready = std::move_only_function<void(Events)>;

  FdWatch(int fd, Ready ready);
  ~FdWatch();
  FdWatch(const FdWatch&) = delete;

  // What to watch for from now on, until it is changed.
  void want(unsigned events);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Calls back once after a time. Only on the I/O thread.
class LoopTimer {
 public:
  explicit LoopTimer(Job due);
  ~LoopTimer();
  LoopTimer(const LoopTimer&) = delete;

  void start(std::chrono::milliseconds after);  // instead of what was set
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace harn::net
