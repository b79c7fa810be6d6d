#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "effects/run.h"

// Where a program keeps what outlives it: store, checkpoints, event log. That is the runtime's own folder, the state root;
// what a program may do to files of its own does not matter here.
//
// It is HARN_STATE_DIR, relative to the home, or `.harn` in it. A program without a home gets a temporary one that
// goes with it: tests leave nothing behind and find nothing.
namespace harn::effects {

struct StateHome {
  enum class Kind : uint8_t {
    None,
    Script,   // the folder of a program that belongs to no project
    Project,  // the folder of a harn.toml
  };
  Kind kind = Kind::None;
  std::string folder = {};
  std::string pipeline = {};  // whose checkpoints: the entry pipeline, or the file of a script
  std::string resume = {};    // the snapshot of a suspended agent loop that the program's first loop goes on with

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(kind), visit(folder), visit(pipeline), visit(resume);
  }
};

// Before the program runs.
void set_state_home(vm::Vm& vm, StateHome home);
const StateHome& state_home(vm::Vm& vm);

// A path as it is, or relative to the home. Fails when a temporary home cannot be made; no other folder is: whoever writes
// does that (`make_folders`, base/replace_file.h).
vm::Outcome<std::string> from_home(Run& run, const std::string& path);
vm::Outcome<std::string> state_root(Run& run);

// Where a path leads, as far as it exists. Fails for a link that leads to nothing: it could lead anywhere once it does.
Result<std::filesystem::path> real_path(const std::string& path);
// Of paths without links: whether it is the folder, or in it.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

// A file of the state root, without links on the way below it; and where nobody has named the root (HARN_STATE_DIR), it is
// inside the home: what came with a project must not lead out of it.
vm::Outcome<std::string> state_path(Run& run, const std::string& file);

// For work on another thread, which may outlive the VM: while somebody holds it, a temporary home stays.
std::shared_ptr<const void> hold_home();

// The VM of the running task.
vm::Vm& current_vm();

}  // namespace harn::effects
