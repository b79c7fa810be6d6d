#pragma once

#include "effects/perform.h"

// What there is on the disk.
namespace harn::effects {

struct PathExists {
  using Answer = bool;
  static constexpr EffectRow row{.name = "fs.exists", .capability = vm::Capability::FileInfo};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<bool> carry_out(Run& run, const PathExists& request);

struct CurrentDirectory {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "fs.current_directory", .capability = vm::Capability::FileInfo};

  std::string shown() const { return "the current directory"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<std::string> carry_out(Run& run, const CurrentDirectory& request);

}  // namespace harn::effects
