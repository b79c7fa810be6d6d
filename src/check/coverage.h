#pragma once

#include <string>
#include <vector>

#include "check/checker.h"

namespace harn::check {

// The values that arms without a guard have taken, where the pattern is no more than that.
struct Checker::Covered {
  bool everything = false;
  std::unordered_set<const Type*> literals;  // canonical
  std::unordered_set<std::string_view> variants;
};

// Whether the arms of a match take every value, where patterns stand inside of patterns. A table of patterns is made, one
// row for each arm; column by column it is asked what is left when the first value is made in one way or another. (The
// method is that of L. Maranget, "Warnings for pattern matching".)
//
//   Node(Leaf(a), Leaf(b)) -> ...     a Node of two Leafs
//   Node(Node(a, b), c) -> ...        a Node whose first part is a Node
//   Node(a, Node(b, c)) -> ...        ... together: every Node
class Checker::Coverage {
 public:
  explicit Coverage(Checker& checker) : checker_(checker), known_(checker.known_) {}

  void add_arm(const syntax::MatchPattern& pattern);
  // A value that no arm takes, as a pattern: one for each variant of the type that is not fully taken. Empty when none is
  // left, or when finding out would take too long. `known` are those that have an arm of their own.
  struct Left {
    const Type* member;  // the alternative of the type
    std::string variant;
    std::string pattern;
  };
  std::vector<Left> left_of(const Type* type, const Covered& known);

 private:
  using Pattern = const syntax::MatchPattern*;  // null: takes anything
  using Row = std::vector<Pattern>;
  // A way to make a value: an alternative of a type, one of its variants, and what that carries.
  struct Maker {
    const Type* member = nullptr;
    std::string_view variant;
    std::vector<std::string_view> keys;  // of a shape
    std::vector<const Type*> parts;
    std::vector<bool> may_lack;  // of a shape: an optional field
  };
  // The ways to make a value of the type; false when they cannot be listed.
  bool makers_of(const Type* type, const std::vector<Row>& rows, std::vector<Maker>& out);
  // The type of the literal that a pattern is; null when it is none.
  const Type* literal(Pattern pattern);
  bool differs(Pattern pattern, const Type* part);
  // Adds what a pattern asks of the parts; false when it takes no value that is made that way.
  bool open_up(Pattern pattern, const Maker& maker, Row& out);
  bool takes_anything(Pattern pattern) const;
  // Finds values that no row takes.
  bool find(const std::vector<Row>& rows, std::vector<const Type*> types, std::vector<std::string>& found);
  bool find_made(const std::vector<Row>& rows, const std::vector<const Type*>& types, const Maker& maker,
                 std::vector<std::string>& found);
  std::string text(const Maker& maker, std::span<const std::string> parts) const;

  Checker& checker_;
  Knowledge& known_;
  std::vector<Row> rows_;
  std::unordered_map<Pattern, const Type*> literals_;
  size_t steps_ = 0;
};

}  // namespace harn::check
