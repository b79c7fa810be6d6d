// Declarations of more than one line need an empty line between them and other declarations. An `impl` may follow its struct.
#include <utility>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_block(Pass& pass, const Node& node) {
  bool is_item = node.kind >= NodeKind::Function && !node.is(NodeKind::Import) && !node.is(NodeKind::TypeAlias) &&
                 !node.is(NodeKind::Broken);
  return is_item && pass.line(node.span.start) != pass.line(node.span.end);
}

bool belongs(const Node& before, const Node& node) {
  return before.is(NodeKind::Struct) && node.is(NodeKind::Impl) &&
         before.as<Declaration>().name.text == node.as<Declaration>().name.text;
}

bool has_blank_line(std::string_view between) {
  size_t ends = 0;
  for (char c : between) {
    if (c == '\n' && ++ends == 2) return true;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') ends = 0;
  }
  return false;
}

void check(Pass& pass) {
  const Node* before = nullptr;
  for (const Node* node : pass.tree().items) {
    const Node* last = std::exchange(before, node);
    if (!last || last->kind < NodeKind::Function || node->kind < NodeKind::Function ||
        !(is_block(pass, *last) || is_block(pass, *node)) || belongs(*last, *node))
      continue;
    std::string_view between = pass.text({last->span.end, node->span.start});
    size_t line_end = between.find('\n');
    if (line_end == std::string_view::npos || has_blank_line(between)) continue;
    uint32_t at = last->span.end + static_cast<uint32_t>(line_end) + 1;
    pass.report({node->span.start, node->span.start + 1}).fix({"add an empty line", {at, at}, "\n", true});
  }
}

}  // namespace

extern const Rule kBlankLineBetweenItems = {
    .name = "blank-line-between-items",
    .code = diag::Code::NoBlankLine,
    .module = check,
};

}  // namespace harn::lint
