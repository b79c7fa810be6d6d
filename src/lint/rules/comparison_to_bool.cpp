// `(a > b) == true`. Only where the other side is true or false for certain: a value that may be anything else
// (`options.force == true`) is compared with good reason.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& binary = node.as<Binary>();
  if (binary.op != BinaryOp::Equal && binary.op != BinaryOp::NotEqual) return;
  bool is_right = binary.right->is(NodeKind::BoolLiteral), is_left = binary.left->is(NodeKind::BoolLiteral);
  if (is_right == is_left) return;
  const Node& value = is_right ? *binary.left : *binary.right;
  if (!pass.is_bool(value)) return;
  bool wanted = (is_right ? binary.right : binary.left)->as<BoolLiteral>().value;
  auto report = pass.report(binary.span, wanted);
  std::string written = is_right ? pass.left_text(binary) : pass.right_text(binary);
  bool negated = wanted == (binary.op == BinaryOp::NotEqual);
  bool is_wrapped = needs_parentheses(value) && written.starts_with('(') && written.ends_with(')');
  if (negated) written = "!" + (needs_parentheses(value) && !is_wrapped ? fmt::format("({})", written) : written);
  if (!pass.has_comment(binary.span)) report.fix({fmt::format("write `{}`", written), binary.span, written, true});
}

constexpr NodeKind kKinds[] = {NodeKind::Binary};

}  // namespace

extern const Rule kComparisonToBool = {
    .name = "comparison-to-bool",
    .code = diag::Code::ComparisonToBool,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
