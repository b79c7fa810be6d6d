#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// Whole trees of files. Entries come in the order of their names, a directory before what is in it. What cannot be read is left
// out, and so is what links lead to outside the workspace. A directory that links lead to several times is entered once, so that
// no tree is endless.
namespace harn::effects {

struct WalkDirectory : FileErrand {
  struct Entry {
    std::string path;  // begins with the root as it was given
    int64_t depth = 0;
    bool is_directory = false;
    bool is_file = false;
    int64_t size = -1;         // of a file, where it was asked for and can be told
    int64_t modified_ns = -1;  // since 1970, likewise
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(path), visit(depth), visit(is_directory), visit(is_file), visit(size), visit(modified_ns);
    }
  };
  using Answer = std::vector<Entry>;  // the root first
  static constexpr EffectRow row{.name = "file.walk", .capability = vm::Capability::FileRead, .version = 2};

  std::string path;
  int64_t max_depth = INT64_MAX;
  bool follows_links = false;
  bool with_stats = false;  // sizes and times of files, which costs less here than one by one

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path), visit(max_depth), visit(follows_links), visit(with_stats);
  }
};
vm::Outcome<WalkDirectory::Answer> carry_out(Run& run, const WalkDirectory& request);

// The entries below a directory whose path from there matches (glob.h), sorted; paths begin with the directory as it was
// given. A pattern that ends in a slash matches directories only.
struct MatchPaths : FileErrand {
  using Answer = std::vector<std::string>;
  static constexpr EffectRow row{.name = "file.glob", .capability = vm::Capability::FileRead};

  std::string pattern;
  std::string base;
  bool with_hidden = false;

  std::string shown() const { return pattern; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(pattern), visit(base), visit(with_hidden);
  }
};
vm::Outcome<MatchPaths::Answer> carry_out(Run& run, const MatchPaths& request);

}  // namespace harn::effects
