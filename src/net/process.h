#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/confine.h"

// Child processes with captured output.
namespace harn::net {

struct ProcessSpec {
  std::vector<std::string> words;                            // the program, looked up in PATH, and its arguments
  std::string directory;                                     // empty: ours
  int directory_fd = -1;                                     // not -1: instead; open until the process has been started
  std::optional<std::vector<std::string>> environment = {};  // "NAME=value" each; none: ours
  std::string input = {};                                    // what it can read; empty: nothing
  // It has our terminal until it ends, keys and screen: its output is not captured. `take_terminal_back` afterwards.
  bool is_on_terminal = false;
  // Not -1: its input and its output, sockets; nothing of its output is captured. Open until it has been started.
  int input_fd = -1, output_fd = -1;
  size_t max_output = 256u << 20;  // bytes of each stream; a child that writes more is killed
  size_t kept_errors = 0;          // not 0: of its second stream only the last bytes are kept, about so many
  std::optional<Confinement> confinement = {};
  bool must_be_confined = false;  // else it is started as it is where the kernel cannot confine it
};

struct ProcessResult {
  std::string out;
  std::string err;
  int status = -1;  // the exit code; -1 when a signal ended it
  int signal = 0;   // that signal
  bool wrote_too_much = false;
  bool no_memory = false;  // there was none for its output
};

struct ProcessId {
  uint64_t number = 0;
  int pid = 0;                  // as the system has it; also that of its group
  std::string unconfined = {};  // why it is not confined though it should be; empty: it is
};

// Starts a child in a process group of its own. `done` is called once, on the I/O thread,
// when the child has ended and nobody holds its output open any more, or when it was killed.
Result<ProcessId> start_process(ProcessSpec spec, std::function<void(ProcessResult)> done);

// Kills the child and everything that it has started, in whatever group or session that is. Fine when it has ended: then
// those are killed that are left in its group, or hold its output open.
void kill_process(ProcessId id);

// Asks the child and all that it has started to end, and kills what is left after the grace.
void end_process(ProcessId id, std::chrono::milliseconds grace);

// After a child that had the terminal: keys are ours again. Any thread.
void take_terminal_back();

// The same for all that run, at once and on any thread: the process is about to end. Async-signal-safe.
void kill_all_processes();

}  // namespace harn::net
