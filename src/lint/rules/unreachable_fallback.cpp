// `name ?? "nobody"` where `name` is never nil.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& binary = node.as<Binary>();
  if (binary.op != BinaryOp::Coalesce || is_nil(*binary.right)) return;  // the second is nil-coalesce-noop
  check::Trust trust = pass.facts().never_nil(*binary.left);
  if (trust == check::Trust::None) return;
  auto report = pass.report({binary.op_span.start, binary.span.end});
  if (pass.has_comment(binary.span)) return;
  report.fix({"remove the fallback", binary.span, pass.left_text(binary), trust == check::Trust::Certain});
}

constexpr NodeKind kKinds[] = {NodeKind::Binary};

}  // namespace

extern const Rule kUnreachableFallback = {
    .name = "unreachable-fallback",
    .code = diag::Code::NeedlessFallback,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
