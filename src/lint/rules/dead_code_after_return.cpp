// Statements behind one that always leaves: `return`, `throw`, `break`, `continue`, a call that never returns, or an `if`
// that leaves either way.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// Declarations behind a `return` are seen by functions around them, and do nothing by themselves.
bool does_something(const Node& node) { return node.kind < NodeKind::Function; }

void check_list(Pass& pass, NodeList statements) {
  const Node* last = nullptr;
  for (const Node* node : statements) {
    if (last && does_something(*node)) {
      pass.report(node->span).label(pass.source(), last->span, "this always leaves");
      return;
    }
    if (!last && pass.terminates(*node)) last = node;
  }
}

void check(Pass& pass, const Node& node) { check_list(pass, node.as<Block>().statements); }

void check_top(Pass& pass) { check_list(pass, pass.tree().items); }

constexpr NodeKind kKinds[] = {NodeKind::Block};

}  // namespace

extern const Rule kDeadCodeAfterReturn = {
    .name = "dead-code-after-return",
    .alias = "unreachable-code",
    .code = diag::Code::DeadCode,
    .kinds = kKinds,
    .node = check,
    .module = check_top,
};

}  // namespace harn::lint
