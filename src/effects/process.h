#pragma once

#include "effects/perform.h"

// Child processes.
namespace harn::effects {

struct RunProcess {
  struct Answer {
    std::string out;
    std::string err;
    int64_t status = -1;  // the exit code; -1 when a signal ended it
    int64_t signal = 0;   // that signal
    int64_t pid = 0;
    bool timed_out = false;  // it was stopped because of that
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(out), visit(err), visit(status), visit(signal), visit(pid), visit(timed_out);
    }
  };
  static constexpr EffectRow row{.name = "process.run", .capability = vm::Capability::Process, .version = 2};

  struct Variable {
    std::string name;
    std::string value;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(name), visit(value);
    }
  };

  std::string what;                // "exec" or "shell", for messages
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
  std::string directory;           // empty: ours
  std::string program;             // for messages: arguments may hold secrets
  std::vector<Variable> environment = {};
  bool is_whole_environment = false;  // else it is added to ours
  std::string input = {};
  int64_t timeout_ms = 0;  // 0: none. Then it is asked to end, and soon killed

  std::string shown() const { return program; }
  std::string told_to_person() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(words), visit(directory), visit(environment), visit(is_whole_environment), visit(input), visit(timeout_ms);
  }
};
// On a fiber: the task waits; when it is stopped, the child and its process group are killed.
vm::Outcome<RunProcess::Answer> carry_out(Run& run, const RunProcess& request);

// A program that answers for a model: part of that effect, whose policy holds for it (effects/launch.h).
vm::Outcome<RunProcess::Answer> run_for_model(Run& run, const RunProcess& request);

// Which of these files are programs that can be run.
struct FindPrograms {
  using Answer = std::vector<std::string>;
  static constexpr EffectRow row{.name = "process.find", .capability = vm::Capability::Process};

  std::vector<std::string> paths;

  std::string shown() const { return "which of these are there"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(paths);
  }
};
vm::Outcome<std::vector<std::string>> carry_out(Run& run, const FindPrograms& request);

}  // namespace harn::effects
