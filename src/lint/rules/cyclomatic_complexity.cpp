// How many ways lead through a function: one, and one more for each if, guard, match arm, for, while, try with a catch,
// ternary, select case, retry, `&&` and `||`. A closure's ways are those of the function around it.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

size_t ways_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::If:
    case NodeKind::Guard:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Ternary:
    case NodeKind::Retry: return 1;
    case NodeKind::Try: return node.as<Try>().has_catch;
    case NodeKind::Match: return node.as<Match>().arms.size();
    case NodeKind::Select: return node.as<Select>().cases.size();
    case NodeKind::Binary: return node.as<Binary>().op <= BinaryOp::And;
    default: return 0;
  }
}

bool is_allowed(const Declaration& declaration) {
  for (const Attribute& attribute : declaration.attributes) {
    if (attribute.name.text != "complexity") continue;
    for (const AttributeArg& arg : attribute.args) {
      if (arg.name.empty() && arg.value->text == "allow") return true;
    }
  }
  return false;
}

void check(Pass& pass, const Node& node) {
  auto& declaration = node.as<Declaration>();
  size_t score = 1;
  // A function inside has a score of its own.
  for (uint32_t at = pass.at() + 1; at < pass.nodes()[pass.at()].end;) {
    const Place& place = pass.nodes()[at];
    bool is_other = is_function(*place.node) && !place.node->is(NodeKind::Closure);
    if (!is_other) score += ways_of(*place.node);
    at = is_other ? place.end : at + 1;
  }
  auto most = pass.settings().complexity_threshold;
  if (score <= static_cast<size_t>(most) || is_allowed(declaration)) return;
  pass.report(declaration.name.span, declaration.name.text, score, most)
      .help("move parts of it to functions of their own, or mark it with `@complexity(allow)`");
}

constexpr NodeKind kKinds[] = {NodeKind::Function, NodeKind::Pipeline, NodeKind::Tool, NodeKind::Override};

}  // namespace

extern const Rule kCyclomaticComplexity = {
    .name = "cyclomatic-complexity",
    .code = diag::Code::TooComplex,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
