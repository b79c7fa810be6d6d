#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// Files that are read in pieces: no more of one is in memory than a piece. A file is the VM's until it is closed.
namespace harn::effects {

struct OpenFile : FileErrand {
  using Answer = uint64_t;  // its number
  static constexpr EffectRow row{.name = "file.open", .capability = vm::Capability::FileRead};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<uint64_t> carry_out(Run& run, const OpenFile& request);

// The next bytes, at most `most`; none at the end.
struct ReadPiece {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "file.read_piece", .capability = vm::Capability::FileRead};

  uint64_t file = 0;
  uint64_t most = 0;

  std::string shown() const { return fmt::format("file {}", file); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(file), visit(most);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const ReadPiece& request);

// One that is closed already stays so.
struct CloseFile {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.close", .capability = vm::Capability::FileRead};

  uint64_t file = 0;

  std::string shown() const { return fmt::format("file {}", file); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(file);
  }
};
vm::Outcome<Done> carry_out(Run& run, const CloseFile& request);

// Whether a program has open files, which cannot be put away with it.
bool has_open_files(vm::Vm& vm);

}  // namespace harn::effects
