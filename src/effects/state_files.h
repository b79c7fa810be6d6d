#pragma once

#include "effects/perform.h"

// Files in which the runtime keeps the state of programs: store, checkpoints, agent state. People may read, copy and edit
// them, so they are replaced as a whole (base/replace_file.h), and several processes may use them at a time.
//
// All of it is for tasks on a fiber. Failures are errors that name the path, of the kinds that files have
// (file_failure.h). Folders that the program has named must be inside its workspace; the state root is the runtime's own.
namespace harn::effects {

// Where a file is: in a folder that the program has named, or in the state root (effects/state.h).
struct StatePath {
  std::string folder;  // empty: the state root; else as it is, or relative to the program's home
  std::string file;    // relative, without `..`

  std::string shown() const { return folder.empty() ? file : folder + "/" + file; }
};

struct ReadStateFile : StatePath {
  struct Answer {
    bool exists = false;
    std::string text;
    std::string path;  // for messages
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(exists), visit(text), visit(path);
    }
  };
  static constexpr EffectRow row{.name = "state.read", .capability = vm::Capability::StateRead};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file);
  }
};
vm::Outcome<ReadStateFile::Answer> carry_out(Run& run, const ReadStateFile& request);

// Makes the file and its folders, or replaces it. It is on the disk afterwards.
struct ReplaceStateFile : StatePath {
  using Answer = bool;  // false: it was not what was expected, and is as it was
  static constexpr EffectRow row{.name = "state.replace", .capability = vm::Capability::StateWrite};

  std::string text;
  // For those who read it and change what they have read: only if nobody else has changed it meanwhile.
  bool compares = false;
  std::string expected = {};  // `fingerprint` of what was read

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(text), visit(compares), visit(expected);
  }
};
vm::Outcome<bool> carry_out(Run& run, const ReplaceStateFile& request);
std::string fingerprint(const ReadStateFile::Answer& read);

struct RemoveStateFile : StatePath {
  using Answer = bool;  // false: there was none
  static constexpr EffectRow row{.name = "state.remove", .capability = vm::Capability::StateWrite};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file);
  }
};
vm::Outcome<bool> carry_out(Run& run, const RemoveStateFile& request);

// Inside a folder that a program has named: what belongs to the runtime and not to the program. Temporary files of
// others that write at the moment are the runtime's, too.
constexpr std::string_view kOwnFolder = ".agent_state";

// The files below a folder, as paths relative to it, sorted, without the runtime's own.
struct ListStateFiles {
  struct Answer {
    bool exists = false;
    std::vector<std::string> files;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(exists), visit(files);
    }
  };
  static constexpr EffectRow row{.name = "state.list", .capability = vm::Capability::StateRead};

  std::string folder;

  std::string shown() const { return folder; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder);
  }
};
vm::Outcome<ListStateFiles::Answer> carry_out(Run& run, const ListStateFiles& request);

struct MakeStateFolder {
  using Answer = Done;
  static constexpr EffectRow row{.name = "state.make_folder", .capability = vm::Capability::StateWrite};

  std::string folder;

  std::string shown() const { return folder; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder);
  }
};
vm::Outcome<Done> carry_out(Run& run, const MakeStateFolder& request);

}  // namespace harn::effects
