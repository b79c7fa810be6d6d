// A statement that looks like a Natural block, in a function without `@natural_function`: it is just a string.
#include "lint/pass.h"
#include "syntax/natural.h"

namespace harn::lint {

using namespace syntax;

namespace {

// The function whose attribute counts: closures belong to the one around them.
const Node* marked_by(const Pass& pass) {
  for (uint32_t at = pass.nodes()[pass.at()].function; at != Places::kTop; at = pass.nodes()[at].function) {
    if (!pass.nodes()[at].node->is(NodeKind::Closure)) return pass.nodes()[at].node;
  }
  return nullptr;
}

void check(Pass& pass, const Node& node) {
  if (!is_natural_text(node) || !pass.is_statement(pass.at())) return;
  const Node* function = marked_by(pass);
  if (!function) {
    pass.report(node.span, "it is not in a function").help("put it into a function with `@natural_function`");
    return;
  }
  auto report = pass.report(node.span, "the function around it has no `@natural_function`");
  if (!function->is(NodeKind::Function) && !function->is(NodeKind::Tool) && !function->is(NodeKind::Pipeline)) return;
  if (!pass.starts_line(*function)) return;
  uint32_t start = function->span.start;
  report.fix({"mark the function with `@natural_function`", Span{start, start},
              fmt::format("@natural_function\n{}", pass.indent(start)), false});
}

constexpr NodeKind kKinds[] = {NodeKind::StringLiteral, NodeKind::InterpolatedString};

}  // namespace

extern const Rule kUnmarkedNaturalBlock = {
    .name = "unmarked-natural-block",
    .code = diag::Code::UnmarkedNatural,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
