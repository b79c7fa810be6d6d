#pragma once

#include "effects/perform.h"

// Child processes.
namespace harn::effects {

struct RunProcess {
  struct Answer {
    std::string out;
    std::string err;
    int64_t status = -1;  // the exit code; -1 when a signal ended it
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(out), visit(err), visit(status);
    }
  };
  static constexpr EffectRow row{.name = "process.run", .capability = vm::Capability::Process};

  std::string what;                // "exec" or "shell", for messages
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
  std::string directory;           // empty: ours
  std::string program;             // for messages: arguments may hold secrets

  std::string shown() const { return program; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(words), visit(directory);
  }
};
// On a fiber: the task waits; when it is stopped, the child and its process group are killed.
vm::Outcome<RunProcess::Answer> carry_out(Run& run, const RunProcess& request);

}  // namespace harn::effects
