// `if a { return 1 } else { return 2 }`: what is in the `else` can stand behind the `if`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool leaves_at_end(const Block& block) {
  if (block.statements.empty()) return false;
  switch (block.statements.back()->kind) {
    case NodeKind::Return:
    case NodeKind::Throw:
    case NodeKind::Break:
    case NodeKind::Continue: return true;
    default: return false;
  }
}

// Something happens where the braces end.
bool ends_something(Pass& pass, const Block& block) {
  if (pass.bindings().acquires(block)) return true;
  for (const Node* node : block.statements) {
    if (node->is(NodeKind::Defer)) return true;
    if (!node->is(NodeKind::Let)) continue;
    const TypeNode* type = node->as<Let>().type;
    if (type && type->kind == TypeKind::Named && type->name.text == "owned") return true;
  }
  return false;
}

void check(Pass& pass, const Node& node) {
  auto& branch = node.as<If>();
  if (!branch.else_branch || !branch.else_branch->is(NodeKind::Block) || !pass.is_statement(pass.at())) return;
  auto& other = branch.else_branch->as<Block>();
  if (!leaves_at_end(*branch.then_block) || other.statements.empty()) return;
  Span word{branch.then_block->span.end, other.span.start};
  size_t offset = pass.text(word).find("else");
  Span shown = word;
  if (offset != std::string_view::npos) {
    shown.start = word.start + static_cast<uint32_t>(offset);
    shown.end = shown.start + 4;
  }
  auto report = pass.report(shown);
  if (!pass.starts_line(node) || pass.has_comment(word) || ends_something(pass, other) || !pass.can_move(other)) return;
  Span rest{branch.then_block->span.end, other.span.end};
  report.fix({"move it behind the `if`", rest, "\n" + pass.moved(other, pass.indent(node.span.start)), true});
}

constexpr NodeKind kKinds[] = {NodeKind::If};

}  // namespace

extern const Rule kUnnecessaryElseReturn = {
    .name = "unnecessary-else-return",
    .code = diag::Code::UnnecessaryElse,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
