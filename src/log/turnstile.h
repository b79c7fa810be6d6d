#pragma once

#include <string>

#include "base/result.h"

namespace harn::log {

// Lets the processes that write to one file take turns. SQLite's own lock goes to whoever asks at the right moment: a process
// that writes without a pause keeps all others out for seconds. Here the one who waits keeps the next turn: to
// get in line, one needs the place at its head, and to have that place, the one before must have been let in.
//
// Two bytes of a file beside the log are locked, which ends with the process. Used by one thread.
class Turnstile {
 public:
  static Result<Turnstile> open(const std::string& path);
  Turnstile(Turnstile&& other) noexcept;
  ~Turnstile();

  // Fails with Timeout when that takes longer than `patience_ms`.
  Result<void> enter(int64_t patience_ms);
  void leave();

 private:
  Turnstile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace harn::log
