#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/tree.h"

namespace harn::modules {

// What cannot be known about a module because parts of it, or of what it imports, did not parse. The mistake itself is
// reported; a second report because of it would only confuse, while all that has nothing to do with it is worth
// checking.
struct Doubts {
  std::vector<Span> places;  // in the module's own text, one behind the other
  // Names that stand in such places, here or in a module that is imported: they may be declared there.
  std::unordered_set<std::string_view> names;
  bool any_name = false;  // a declaration lacks its name, so any may be the one

  bool empty() const { return places.empty() && names.empty() && !any_name; }
  void add_places(const syntax::Tree& tree);
  // True when it got any new ones.
  bool add_names(const Doubts& other);
  bool touch(Span span) const;
  // Whether a diagnostic of the module may only be there because of a mistake that is reported already.
  bool concern(const diag::Diagnostic& diagnostic) const;
  // Calls `check(sink)`, without what is only found because of such a mistake.
  template <class Check>
  void filter(diag::Sink& sink, Check check) const {
    if (empty()) return check(sink);
    diag::Sink all(diag::Sink::kAll);
    check(all);
    for (const diag::Diagnostic& one : all.diagnostics()) {
      if (!concern(one)) sink.add(one);
    }
  }

 private:
  bool is_doubtful(std::string_view path) const;  // `name`, `name.name` and what follows
};

}  // namespace harn::modules
