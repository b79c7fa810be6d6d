#pragma once

#include "effects/perform.h"

// Where a path leads, for those who have to judge it before anybody uses it: rules about paths must not be evaded by a link. Whoever
// then opens the file looks it up again (places.h); this is a judgement of now and no guarantee for later.
namespace harn::effects {

struct FindRealPath {
  struct Answer {
    std::string path;  // absolute, without links and dots; empty: nobody can say
    std::string why;   // nobody can
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(path), visit(why);
    }
  };
  static constexpr EffectRow row{.name = "fs.real_path", .capability = vm::Capability::FileInfo};

  std::string path;  // the part of it that does not exist is taken as it is written

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<FindRealPath::Answer> carry_out(Run& run, const FindRealPath& request);

}  // namespace harn::effects
