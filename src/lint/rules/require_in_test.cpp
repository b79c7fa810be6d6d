// `require` in a test says less than an assertion when it fails.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  if (!pass.is_in_test()) return;
  Span word{node.span.start, node.span.start + 7};
  pass.report(word).help("use `assert`, `assert_eq` or `assert_ne`: they show what was compared");
}

constexpr NodeKind kKinds[] = {NodeKind::Require};

}  // namespace

extern const Rule kRequireInTest = {
    .name = "require-in-test",
    .code = diag::Code::RequireInTest,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
