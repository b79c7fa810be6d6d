#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/explore.h"
#include "effects/glob.h"
#include "syntax/ast.h"

namespace harn::audit {

// What is wrong at a step, and what would be right.
struct Violation {
  std::string text, help;
};

// One `@invariant(...)` as it was meant. Asked about each step that is reached.
class InvariantRule {
 public:
  virtual ~InvariantRule() = default;
  virtual std::optional<Violation> look(const Reached& reached) = 0;
};

// Why an attribute says nothing: for a diagnostic at `span`.
struct InvariantProblem {
  std::string text, help;
  Span span;
};

struct InvariantRead {
  std::string_view name;                // as far as it could be read
  std::unique_ptr<InvariantRule> rule;  // null: there is a problem
  InvariantProblem problem = {};
};
InvariantRead read_invariant(const syntax::Attribute& attribute, const Callables& callables);

// Paths that stay below certain patterns.
class PathGlobs {
 public:
  // Fails with what is wrong with the pattern.
  std::optional<std::string> add(std::string_view pattern);
  bool is_empty() const { return globs_.empty(); }
  // `..` and `.` are folded first; a path that leads out of the working directory is in none.
  bool hold(std::string_view path) const;
  std::string shown() const;

 private:
  std::vector<effects::Glob> globs_;
  std::vector<std::string> texts_;
};

}  // namespace harn::audit
