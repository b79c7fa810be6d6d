// `ready || true` is true whatever `ready` is.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& binary = node.as<Binary>();
  if (binary.op > BinaryOp::And) return;
  bool decides = binary.op == BinaryOp::Or;  // the value that does
  if (!is_bool_literal(*binary.right, decides) || !is_quiet(*binary.left)) return;
  std::string_view word = decides ? "true" : "false";
  pass.report(binary.span, word)
      .fix({fmt::format("write `{}`", word), binary.span, std::string(word), cannot_fail(*binary.left)});
}

constexpr NodeKind kKinds[] = {NodeKind::Binary};

}  // namespace

extern const Rule kConstantLogicalOperand = {
    .name = "constant-logical-operand",
    .code = diag::Code::ConstantOperand,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
