// A `pub fn` without a `/** */` block above it. For projects that ask for it: `[lint] require_docstrings`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& function = node.as<Function>();
  if (!pass.settings().require_docstrings || !function.is_pub) return;
  const Comment* above = pass.comment_above(node.span.start);
  if (above && pass.text(above->span).starts_with("/**")) return;
  pass.report(function.name.span, function.name.text).help("say in a `/** ... */` block above it what it does");
}

constexpr NodeKind kKinds[] = {NodeKind::Function};

}  // namespace

extern const Rule kMissingHarndoc = {
    .name = "missing-harndoc",
    .code = diag::Code::MissingHarndoc,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
