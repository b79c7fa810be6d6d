#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"

// A rule: what it is called, what it reports, and which nodes it wants to see. Each has a file of its own under rules/ and a
// line in rules.def.
namespace harn::lint {

class Pass;

struct Rule {
  std::string_view name;        // "unused-import": reads well after "allow"
  std::string_view alias = {};  // another name it answers to
  diag::Code code;
  // Nodes of these kinds are handed to `node`, in the order of the source.
  std::span<const syntax::NodeKind> kinds = {};
  void (*node)(Pass& pass, const syntax::Node& node) = nullptr;
  // Types, wherever they are written.
  void (*type)(Pass& pass, const syntax::TypeNode& type) = nullptr;
  // The module as a whole, when all nodes have been seen.
  void (*module)(Pass& pass) = nullptr;
};

// All rules, in the order of their codes. Some have no function: others find what they are about (the resolver, the checks
// of templates), and only their name is known here, to switch them off.
std::span<const Rule* const> rules();
// By its name or its other name; null: there is none.
const Rule* find_rule(std::string_view name);
const Rule* find_rule(diag::Code code);
// The name that was probably meant; empty: none is close.
std::string_view close_rule(std::string_view name);

}  // namespace harn::lint
