// `x == nil ? y : x` is `x ?? y`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// What is compared with nil; null: nothing is.
const Node* compared(const Binary& test) {
  if (is_nil(*test.right)) return test.left;
  return is_nil(*test.left) ? test.right : nullptr;
}

void check(Pass& pass, const Node& node) {
  auto& ternary = node.as<Ternary>();
  if (!ternary.condition->is(NodeKind::Binary)) return;
  auto& test = ternary.condition->as<Binary>();
  if (test.op != BinaryOp::Equal && test.op != BinaryOp::NotEqual) return;
  const Node* value = compared(test);
  if (!value || is_literal(*value) || !is_quiet(*value)) return;
  bool is_equal = test.op == BinaryOp::Equal;
  const Node& kept = is_equal ? *ternary.else_value : *ternary.then_value;
  const Node& other = is_equal ? *ternary.then_value : *ternary.else_value;
  if (!is_same(*value, kept)) return;
  std::string fallback(pass.text(other.span));
  if (needs_parentheses(other)) fallback = fmt::format("({})", fallback);
  std::string written = fmt::format("{} ?? {}", pass.text(kept.span), fallback);
  // A ternary binds less than any operator around it, so it stands alone or in parentheses already.
  auto report = pass.report(ternary.span, written);
  if (!pass.has_comment(ternary.span)) report.fix({fmt::format("write `{}`", written), ternary.span, written, true});
}

constexpr NodeKind kKinds[] = {NodeKind::Ternary};

}  // namespace

extern const Rule kRedundantNilTernary = {
    .name = "redundant-nil-ternary",
    .code = diag::Code::RedundantNilTernary,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
