// A condition that is decided when it is written: `while false`, `if 1 > 2`. (`if true` has a rule of its own; `while true` is
// how an endless loop is written.)
#include <optional>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

std::optional<bool> compare(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::Equal: return a == b;
    case BinaryOp::NotEqual: return a != b;
    case BinaryOp::Less: return a < b;
    case BinaryOp::Greater: return a > b;
    case BinaryOp::LessEqual: return a <= b;
    case BinaryOp::GreaterEqual: return a >= b;
    default: return std::nullopt;
  }
}

// What it always is; nothing when that depends on something.
std::optional<bool> decided(const Node& node) {
  if (node.is(NodeKind::BoolLiteral)) return node.as<BoolLiteral>().value;
  if (is_nil(node)) return false;
  if (node.is(NodeKind::Unary) && node.as<Unary>().op == UnaryOp::Not && is_literal(*node.as<Unary>().operand)) {
    auto inner = decided(*node.as<Unary>().operand);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (!node.is(NodeKind::Binary)) return std::nullopt;
  auto& binary = node.as<Binary>();
  if (!binary.left->is(NodeKind::IntLiteral) || !binary.right->is(NodeKind::IntLiteral)) return std::nullopt;
  return compare(binary.op, binary.left->as<IntLiteral>().value, binary.right->as<IntLiteral>().value);
}

void check(Pass& pass, const Node& node) {
  const Node& condition = node.is(NodeKind::If)      ? *node.as<If>().condition
                          : node.is(NodeKind::While) ? *node.as<While>().condition
                                                     : *node.as<Guard>().condition;
  auto value = decided(condition);
  if (!value || (node.is(NodeKind::If) && condition.is(NodeKind::BoolLiteral))) return;
  if (node.is(NodeKind::While) && is_bool_literal(condition, true)) return;
  pass.report(condition.span, *value);
}

constexpr NodeKind kKinds[] = {NodeKind::If, NodeKind::While, NodeKind::Guard};

}  // namespace

extern const Rule kVacuousCondition = {
    .name = "vacuous-condition",
    .code = diag::Code::VacuousCondition,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
