#pragma once

#include "effects/errand.h"
#include "effects/file_changes.h"
#include "effects/perform.h"

// Files that are watched. A watch is the VM's until it is closed; while a task waits for changes, no thread does.
namespace harn::effects {

struct OpenWatch : FileErrand {
  using Answer = uint64_t;  // its number
  static constexpr EffectRow row{.name = "file.watch", .capability = vm::Capability::FileRead};

  std::string path;  // a file or a directory
  bool is_recursive = true;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path), visit(is_recursive);
  }
};
vm::Outcome<uint64_t> carry_out(Run& run, const OpenWatch& request);

// Waits until something has happened, and `settle_ms` longer. None: what was watched is gone.
struct NextChanges {
  using Answer = std::vector<FileChange>;
  static constexpr EffectRow row{.name = "file.changes", .capability = vm::Capability::FileRead};

  uint64_t watch = 0;
  int64_t settle_ms = 0;

  std::string shown() const { return fmt::format("watch {}", watch); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(watch), visit(settle_ms);
  }
};
vm::Outcome<NextChanges::Answer> carry_out(Run& run, const NextChanges& request);

// One that is closed already stays so.
struct CloseWatch {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.unwatch", .capability = vm::Capability::FileRead};

  uint64_t watch = 0;

  std::string shown() const { return fmt::format("watch {}", watch); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(watch);
  }
};
vm::Outcome<Done> carry_out(Run& run, const CloseWatch& request);

// Whether a program watches files, which cannot be put away with it.
bool has_watches(vm::Vm& vm);

}  // namespace harn::effects
