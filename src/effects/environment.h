#pragma once

#include <span>

#include "effects/perform.h"

// What a program can know of where it runs: variables, the machine, and the directories that belong to it.
namespace harn::effects {

// A variable of the environment. The value of one whose name says that it is a secret is one from then on: recordings, traces
// and reports of errors leave it out.
struct ReadVariable {
  struct Answer {
    bool is_set = false;
    std::string value;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_set), visit(value);
    }
  };
  static constexpr EffectRow row{.name = "env.read", .capability = vm::Capability::EnvRead};

  std::string name;
  bool is_secret = false;  // whatever its name says

  std::string shown() const { return name; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(name);
  }
};
vm::Outcome<ReadVariable::Answer> carry_out(Run& run, const ReadVariable& request);
// For effects that read variables on the way: empty where one is not set, or to nothing.
std::string variable_text(Run& run, const std::string& name);
std::vector<std::string> variable_texts(Run& run, std::span<const std::string> names);

// The names of all variables, in their order.
struct ListVariables {
  using Answer = std::vector<std::string>;
  static constexpr EffectRow row{.name = "env.list", .capability = vm::Capability::EnvRead};

  std::string shown() const { return "all variables"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<std::vector<std::string>> carry_out(Run& run, const ListVariables& request);

// Sets a variable for the program and the children it starts from now on, or takes it away. The process that runs the
// program keeps its own: other threads of it read them.
struct SetVariable {
  using Answer = Done;
  static constexpr EffectRow row{.name = "env.set", .capability = vm::Capability::EnvWrite};

  std::string name;
  bool is_set = true;
  std::string value = {};

  std::string shown() const { return name; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(name), visit(is_set), visit(value);
  }
};
vm::Outcome<Done> carry_out(Run& run, const SetVariable& request);
// The environment as the program has changed it: "NAME=value".
std::vector<std::string> environment_lines(Run& run);

enum class SystemFact : uint8_t {
  UserName,
  HostName,
  Platform,
  Architecture,
  HomeDirectory,
  TempDirectory,
  ProcessId,
  Processors,   // how many the process may use
  TotalMemory,  // in bytes
  FreeMemory,   // that programs could have now
};

struct AskSystem {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "system.fact", .capability = vm::Capability::SystemInfo};

  SystemFact fact{};

  std::string shown() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(fact);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const AskSystem& request);

// The directories of a program whose source is in `source_directory` (absolute, or empty when it is in no file). The project is
// the nearest directory upwards from there with a harn.toml, within the repository.
struct FindPaths {
  struct Answer {
    std::string execution_root;
    std::string asset_root;
    std::string project_root;  // empty: there is no project
    std::string state_root;
    std::string run_root;
    std::string worktree_root;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(execution_root), visit(asset_root), visit(project_root), visit(state_root), visit(run_root),
          visit(worktree_root);
    }
  };
  static constexpr EffectRow row{.name = "fs.program_paths", .capability = vm::Capability::FileInfo, .version = 2};

  std::string source_directory;

  // Not where the source is: a replay finds it elsewhere, or by another path.
  std::string shown() const { return {}; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<FindPaths::Answer> carry_out(Run& run, const FindPaths& request);

}  // namespace harn::effects
