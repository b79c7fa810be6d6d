#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// Directories, and files as entries of them: listing, making, removing, copying, moving.
namespace harn::effects {

struct ListDirectory : FileErrand {
  using Answer = std::vector<std::string>;  // names, sorted
  static constexpr EffectRow row{.name = "file.list", .capability = vm::Capability::FileRead};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<std::vector<std::string>> carry_out(Run& run, const ListDirectory& request);

// With all that lead to it. One that is there already is fine.
struct MakeDirectory : FileErrand {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.make_directory", .capability = vm::Capability::FileWrite};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<Done> carry_out(Run& run, const MakeDirectory& request);

// A file, a link, or a directory with everything in it.
struct DeleteFile : FileErrand {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.delete", .capability = vm::Capability::FileWrite};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<Done> carry_out(Run& run, const DeleteFile& request);

// Content and mode. Moving is renaming where that is possible, else copying and removing.
struct CopyFile : FileErrand {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.copy", .capability = vm::Capability::FileWrite};

  std::string from;
  std::string to;
  bool moves = false;

  std::string shown() const { return fmt::format("{} to {}", from, to); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(from), visit(to), visit(moves);
  }
};
vm::Outcome<Done> carry_out(Run& run, const CopyFile& request);

}  // namespace harn::effects
