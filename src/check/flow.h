#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "types/table.h"

// What is known about values at one place of a program, because of the conditions and assignments on the way there.
namespace harn::compile {
struct Variable;
}

namespace harn::check {

// A reference that always means the same value, until it is assigned to: a variable, or constant fields and subscripts
// of one (`entry.arguments`, `xs[0]`). 0 is none.
using PathId = uint32_t;

class Paths {
 public:
  PathId of(const compile::Variable* variable);
  PathId child(PathId parent, std::string_view key);
  // The path and all that go through it.
  void each_below(PathId path, auto&& visit) const {
    visit(path);
    for (PathId child : paths_[path].children) each_below(child, visit);
  }
  // As the program writes it.
  const std::string& text(PathId path) const { return paths_[path].text; }
  // Whether the variable it begins with is ever assigned to.
  bool is_mutable(PathId path) const;
  const compile::Variable* base(PathId path) const { return paths_[path].base; }

 private:
  struct Path {
    std::string text;
    const compile::Variable* base = nullptr;
    std::vector<PathId> children;
  };
  PathId add(std::string text, const compile::Variable* base);

  std::vector<Path> paths_ = {{}};
  std::unordered_map<const compile::Variable*, PathId> variables_;
  std::unordered_map<std::string, PathId> by_key_;  // "parent key"
};

struct Fact {
  const types::Type* type = nullptr;
  // For a value of type `unknown`: which answers of `type_of` are ruled out (a bit for each of kTypeOfNames).
  uint16_t ruled_out = 0;
  // Nobody has promised this type: it is that of a literal, and the value may be given other fields.
  bool loose = false;
};

using Facts = std::vector<std::pair<PathId, Fact>>;

// Facts along one way through a function. To look at a branch, remember the `mark`, walk over it, and `take` what it has
// changed; then `join` the branches that come to an end. The cost is in proportion to the changes.
class Flow {
 public:
  explicit Flow(Paths& paths) : paths_(paths) {}

  bool reachable = true;

  const Fact* find(PathId path) const;
  void set(PathId path, Fact fact);
  void set_all(const Facts& facts);
  // The value is another one now, or may be: nothing is known about it and what is inside.
  void forget(PathId path);
  // The variables that something was known about in this function, and that another one may assign.
  const std::vector<const compile::Variable*>& watched() const { return watched_; }
  void watch_none() { watched_.clear(); }
  // Calls `visit(path, fact)` for all that is known.
  void each(auto&& visit) const {
    for (auto& [path, fact] : facts_) visit(path, fact);
  }

  struct Branch {
    std::vector<std::pair<PathId, std::optional<Fact>>> changes;
    bool reachable = true;
  };
  size_t mark() const { return trail_.size(); }
  // Ends a branch: everything is as it was at the mark.
  Branch take(size_t mark, bool reachable_before = true);
  // Goes on behind branches: what is true in all of those that get here.
  void join(std::span<const Branch> branches, types::TypeTable& table);

 private:
  void change(PathId path, std::optional<Fact> fact);

  Paths& paths_;
  std::unordered_map<PathId, Fact> facts_;
  std::vector<const compile::Variable*> watched_;
  std::vector<std::pair<PathId, std::optional<Fact>>> trail_;  // what was there before each change
};

}  // namespace harn::check
