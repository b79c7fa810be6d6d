// A statement that looks like a Natural block, in a function without `@natural_function`: it is just a string.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool looks_natural(const Node& node) {
  const Node* first = &node;
  if (node.is(NodeKind::InterpolatedString)) {
    NodeList parts = node.as<InterpolatedString>().parts;
    if (parts.empty()) return false;
    first = parts[0];
  }
  return first->is(NodeKind::StringLiteral) && first->as<StringLiteral>().value.starts_with("natural\n");
}

// The function whose attribute counts: closures belong to the one around them.
const Node* marked_by(const Pass& pass) {
  for (uint32_t at = pass.nodes()[pass.at()].function; at != Places::kTop; at = pass.nodes()[at].function) {
    if (!pass.nodes()[at].node->is(NodeKind::Closure)) return pass.nodes()[at].node;
  }
  return nullptr;
}

void check(Pass& pass, const Node& node) {
  if (!looks_natural(node) || !pass.is_statement(pass.at())) return;
  // The value of a function that ends with it is what somebody wants.
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
