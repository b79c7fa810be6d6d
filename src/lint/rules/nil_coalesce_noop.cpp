// `value ?? nil`
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& binary = node.as<Binary>();
  if (binary.op != BinaryOp::Coalesce || !is_nil(*binary.right)) return;
  auto report = pass.report({binary.op_span.start, binary.span.end});
  if (!pass.has_comment(binary.span)) report.fix({"remove it", binary.span, pass.left_text(binary), true});
}

constexpr NodeKind kKinds[] = {NodeKind::Binary};

}  // namespace

extern const Rule kNilCoalesceNoop = {
    .name = "nil-coalesce-noop",
    .code = diag::Code::CoalesceNil,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
