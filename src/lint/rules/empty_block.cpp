// `if ready { }`. A comment in the block says that it is meant.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_empty(Pass& pass, const Block* block) {
  return block && block->statements.empty() && !pass.has_comment(block->span);
}

// `for _ in stream {}` waits for the end.
bool drains(const For& loop) {
  auto fields = loop.pattern->fields;  // none: `for [] in xs`
  return !fields.empty() && fields[0].binding.text.starts_with('_');
}

Span head(const Node& node, uint32_t length) { return {node.span.start, node.span.start + length}; }

void check_if(Pass& pass, const If& node) {
  const Node* other = node.else_branch;
  if (other && other->is(NodeKind::Block) && is_empty(pass, &other->as<Block>())) {
    Span rest{node.then_block->span.end, other->span.end};
    auto report = pass.report(other->span, "`else`");
    // The value of the `if` is nil then, as without an `else`.
    if (!pass.has_comment(rest)) report.fix({"remove it", rest, "", true});
  }
  if (!is_empty(pass, node.then_block)) return;
  auto report = pass.report(head(node, 2), "`if`");
  bool is_alone = !other && pass.is_dropped(pass.at()) && cannot_fail(*node.condition);
  if (is_alone && !pass.has_comment(node.span)) report.fix({"remove it", pass.whole_lines(node.span), "", true});
}

void check(Pass& pass, const Node& node) {
  switch (node.kind) {
    case NodeKind::If: return check_if(pass, node.as<If>());
    case NodeKind::For:
      if (is_empty(pass, node.as<For>().body) && !drains(node.as<For>())) pass.report(head(node, 3), "`for`");
      return;
    case NodeKind::While:
      if (is_empty(pass, node.as<While>().body)) pass.report(head(node, 5), "`while`");
      return;
    default:
      if (is_empty(pass, node.as<Try>().body)) pass.report(head(node, 3), "`try`");
  }
}

constexpr NodeKind kKinds[] = {NodeKind::If, NodeKind::For, NodeKind::While, NodeKind::Try};

}  // namespace

extern const Rule kEmptyBlock = {
    .name = "empty-block",
    .code = diag::Code::EmptyBlock,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
