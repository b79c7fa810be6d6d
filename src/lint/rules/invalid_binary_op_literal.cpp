// `count + true` fails when it runs: there is no arithmetic on true, false and nil.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_wrong(const Node& node) { return is_nil(node) || node.is(NodeKind::BoolLiteral); }

bool is_text(const Node& node) { return node.is(NodeKind::StringLiteral) || node.is(NodeKind::InterpolatedString); }

void check(Pass& pass, const Node& node) {
  auto& binary = node.as<Binary>();
  bool is_arithmetic = binary.op == BinaryOp::Add || binary.op == BinaryOp::Subtract || binary.op > BinaryOp::Coalesce;
  if (!is_arithmetic || is_wrong(*binary.left) == is_wrong(*binary.right)) return;
  const Node& wrong = is_wrong(*binary.left) ? *binary.left : *binary.right;
  const Node& other = &wrong == binary.left ? *binary.right : *binary.left;
  std::string_view literal = pass.text(wrong.span);
  auto report = pass.report(binary.span, pass.text(binary.op_span), literal);
  if (binary.op != BinaryOp::Add || !is_text(other)) return;
  report.fix({"make it text", wrong.span, fmt::format("to_string({})", literal), false});
}

constexpr NodeKind kKinds[] = {NodeKind::Binary};

}  // namespace

extern const Rule kInvalidBinaryOpLiteral = {
    .name = "invalid-binary-op-literal",
    .code = diag::Code::InvalidLiteralOperand,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
