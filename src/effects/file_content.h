#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// Whole files, worked through in pieces on another thread: however large they are, a megabyte or two of them is in memory.
// A task that is told to stop ends the work between two pieces.
namespace harn::effects {

struct HashFile : FileErrand {
  using Answer = std::string;  // raw bytes
  static constexpr EffectRow row{.name = "file.hash", .capability = vm::Capability::FileRead};

  std::string path;
  std::string digest;  // as crypto::Digest calls it

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path), visit(digest);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const HashFile& request);

// Puts a file in the place of another, packed with gzip or unpacked: all of it or nothing.
struct PackFile : FileErrand {
  using Answer = int64_t;  // how many bytes were written
  static constexpr EffectRow row{.name = "file.pack", .capability = vm::Capability::FileWrite};

  std::string from;
  std::string to;
  bool unpacks = false;
  int64_t level = 0;       // of packing
  int64_t most_bytes = 0;  // that unpacking may write; 0: what is not suspicious for a file of that size

  std::string shown() const { return fmt::format("{} to {}", from, to); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(from), visit(to), visit(unpacks), visit(level), visit(most_bytes);
  }
};
vm::Outcome<int64_t> carry_out(Run& run, const PackFile& request);

}  // namespace harn::effects
