// `x == x`, and `if true`. A number that is not a number differs from itself, so the fixes may change a program.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check_same(Pass& pass, const Binary& binary) {
  bool compares = binary.op >= BinaryOp::Equal && binary.op <= BinaryOp::GreaterEqual;
  if (!compares || !is_quiet(*binary.left) || is_literal(*binary.left) || !is_same(*binary.left, *binary.right)) return;
  bool holds = binary.op == BinaryOp::Equal || binary.op == BinaryOp::LessEqual || binary.op == BinaryOp::GreaterEqual;
  std::string_view word = holds ? "true" : "false";
  pass.report(binary.span, "both sides of this comparison are the same")
      .fix({fmt::format("write `{}`", word), binary.span, std::string(word), false});
}

void check_if(Pass& pass, const If& node) {
  if (!node.condition->is(NodeKind::BoolLiteral)) return;
  bool holds = node.condition->as<BoolLiteral>().value;
  auto report = pass.report(node.condition->span, holds ? "this `if` always runs" : "this `if` never runs");
  const Node* kept = holds ? node.then_block : node.else_branch;
  if (!pass.is_statement(pass.at()) || pass.has_comment(node.span)) return;
  if (!kept) {
    report.fix({"remove it", pass.whole_lines(node.span), "", false});
  } else if (kept->is(NodeKind::Block) && pass.can_move(kept->as<Block>()) && pass.starts_line(node)) {
    std::string_view indent = pass.indent(node.span.start);
    std::string inside = pass.moved(kept->as<Block>(), indent);
    report.fix({"keep what runs", node.span, inside.substr(std::min(indent.size(), inside.size())), false});
  }
}

void check(Pass& pass, const Node& node) {
  if (node.is(NodeKind::If)) check_if(pass, node.as<If>());
  else check_same(pass, node.as<Binary>());
}

constexpr NodeKind kKinds[] = {NodeKind::Binary, NodeKind::If};

}  // namespace

extern const Rule kPointlessComparison = {
    .name = "pointless-comparison",
    .code = diag::Code::PointlessComparison,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
