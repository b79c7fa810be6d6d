#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/mutex.h"
#include "cli/late_flush.h"
#include "engine/system_host.h"

namespace harn::vm {
class Vm;
}

namespace harn::cli {

class LineEditor;

// The process as a host: its standard streams, with output that is buffered.
class ProcessHost : public engine::SystemHost {
 public:
  ProcessHost();
  ~ProcessHost() override;
  // The program to stop when nobody reads its output any more, and whose stop ends a wait for
  // input.
  void attach(vm::Vm* vm) { vm_ = vm; }
  // Why standard output failed (errno), 0 when it did not.
  int output_error() const { return output_error_; }

  void write(vm::Stream stream, std::string_view text) override;
  void flush() override;
  // A line below everything that is written, on the terminal that standard error is; empty: none. It is no part of the output:
  // what is written takes its place, and it is shown again behind it.
  void set_status(std::string line);
  bool read_line(std::string& line) override;
  // The line that `read_line` would give, if it is there already.
  bool peek_line(std::string& line);
  std::string read_all() override;
  bool read_keys(std::string& keys) override;
  Edited edit_line(const std::string& prompt, const std::string& history, std::string& line) override;
  void forget_interrupt() override;
  void stop_reading() override;
  bool is_terminal(vm::Stream stream) override;

  // There is no memory to go on with: writes out what is buffered, and says so. Needs none itself, and waits for
  // nobody. For the host that was made last.
  static void say_last_words();

 protected:
  virtual void last_words();
  // The error number, 0 when all was written.
  static int write_fully(int fd, std::string_view text);
  // What is left to write goes out, unless another thread is writing.
  void try_flush();

 private:
  bool fill();  // reads more input
  bool wait_for_input();
  bool is_stopping() const;

  void hide_status_locked();
  void show_status_locked(std::string_view written);
  void flush_locked();
  void write_out_locked(std::string_view text);
  void flush_soon();

  vm::Vm* vm_ = nullptr;
  Mutex lock_;  // of the output: tasks write on all workers
  std::string out_;
  std::string status_;
  std::string in_;
  size_t in_position_ = 0;
  bool in_ended_ = false;
  Mutex in_lock_;                       // one task reads at a time
  int stop_reading_ = -1;               // an eventfd that a waiting read looks at too
  std::unique_ptr<LineEditor> editor_;  // of the first line that is edited
  int out_is_terminal_ = -1;
  int direct_writes_ = 50;  // left
  std::atomic<int> output_error_ = 0;
  LateFlush late_flush_;  // the last: its thread uses the others
};

}  // namespace harn::cli
