#pragma once

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

  std::string shown() const { return name; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(name);
  }
};
vm::Outcome<ReadVariable::Answer> carry_out(Run& run, const ReadVariable& request);

enum class SystemFact : uint8_t { UserName, HostName, Platform, Architecture, HomeDirectory, TempDirectory, ProcessId };

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
  static constexpr EffectRow row{.name = "fs.program_paths", .capability = vm::Capability::FileInfo};

  std::string source_directory;

  std::string shown() const { return source_directory; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(source_directory);
  }
};
vm::Outcome<FindPaths::Answer> carry_out(Run& run, const FindPaths& request);

}  // namespace harn::effects
