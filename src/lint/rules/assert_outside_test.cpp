// `assert`, `assert_eq` and `assert_ne` are for tests. In a file with test pipelines, functions may be what those share.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

constexpr std::string_view kFamily[] = {"assert", "assert_eq", "assert_ne"};

void check(Pass& pass, const Node& node) {
  std::string_view name = pass.builtin(node);
  if (std::find(std::begin(kFamily), std::end(kFamily), name) == std::end(kFamily)) return;
  if (pass.is_in_test() || pass.has_tests()) return;
  pass.report(node.as<Call>().callee->span, name)
      .help("use `require condition, \"message\"` where the program runs, or move it to a `pipeline test_...`");
}

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kAssertOutsideTest = {
    .name = "assert-outside-test",
    .code = diag::Code::AssertOutsideTest,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
