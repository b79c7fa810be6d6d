#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harn::vm {

struct ErrorObject;

enum class Stream : unsigned char { In, Out, Err };

// The world as the VM's builtins see it. The CLI implements it on the process; tests in memory. Tasks on
// all workers write: one call of `write` is never mixed with another. Whoever makes a VM owns its host, which has to
// outlive it.
class Host {
 public:
  virtual ~Host() = default;
  virtual void write(Stream stream, std::string_view text) = 0;
  virtual void flush() = 0;
  // One line without its end; false at the end of input.
  virtual bool read_line(std::string& line) = 0;
  virtual std::string read_all() = 0;
  // What has been typed, at least something, on a terminal that does not wait for the end of a line; false at the end of input.
  virtual bool read_keys(std::string& keys) { return read_line(keys); }
  // A line that a person edits behind a prompt; on what is no terminal, the next one. `history` names where earlier ones are kept.
  enum class Edited : uint8_t { Line, End, Interrupt };
  virtual Edited edit_line(const std::string& prompt, const std::string& /*history*/, std::string& line) {
    write(Stream::Out, prompt);
    return read_line(line) ? Edited::Line : Edited::End;
  }
  // The program has dealt with a signal: the next one is a first one again.
  virtual void forget_interrupt() {}
  // Ends a read that waits on another thread: it answers as at the end of input.
  virtual void stop_reading() {}
  virtual bool is_terminal(Stream stream) = 0;
  virtual std::string env(std::string_view name, bool& found) = 0;
  virtual int64_t now_ms() = 0;  // wall clock
  virtual void random_bytes(void* to, size_t size) = 0;

  // What happens to tasks, told on any worker. Those who want to know of each say so before the VM is made.
  virtual bool watches_tasks() const { return false; }
  virtual void task_started(uint64_t /*task*/, uint64_t /*parent*/) {}
  virtual void task_ended(uint64_t /*task*/, const ErrorObject* /*error*/) {}  // null: it did not fail
  // A task has failed, and nobody will ask for its result. False: it should be written to standard error.
  virtual bool task_failed_unseen(uint64_t /*task*/, const ErrorObject& /*error*/) { return false; }
};

}  // namespace harn::vm
