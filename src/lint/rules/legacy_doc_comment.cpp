// `///` above a declaration: documentation is written as `/** */`. Where a project asks for documentation, `//` directly above
// something public is meant as such, too.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_line(const Comment& comment) { return !comment.is_block && comment.own_line; }

std::string_view content(std::string_view line) {
  line = line.substr(line.starts_with("///") ? 3 : 2);
  return line.starts_with(' ') ? line.substr(1) : line;
}

std::string as_block(Pass& pass, std::span<const Comment> lines, std::string_view indent) {
  if (lines.size() == 1) return fmt::format("/** {} */", content(pass.text(lines[0].span)));
  std::string out = "/**\n";
  for (const Comment& line : lines) {
    std::string_view text = content(pass.text(line.span));
    out += text.empty() ? fmt::format("{} *\n", indent) : fmt::format("{} * {}\n", indent, text);
  }
  return out + fmt::format("{} */", indent);
}

void check(Pass& pass, const Node& node) {
  auto& declaration = node.as<Declaration>();
  const Comment* last = pass.comment_above(node.span.start);
  if (!last || !is_line(*last)) return;
  bool is_doc = pass.text(last->span).starts_with("///");
  if (!is_doc && !(pass.settings().require_docstrings && declaration.is_pub)) return;
  auto& comments = pass.tree().comments;
  auto end = comments.begin() + (last - comments.data()) + 1;
  auto first = end - 1;
  while (first != comments.begin() && is_line(*(first - 1)) &&
         pass.line((first - 1)->span.start) + 1 == pass.line(first->span.start) &&
         pass.text((first - 1)->span).starts_with("///") == is_doc) {
    --first;
  }
  Span all{first->span.start, last->span.end};
  auto report = pass.report(all, is_doc ? "///" : "//");
  if (pass.text(all).find("*/") != std::string_view::npos) return;
  report.fix({"write it as a `/** */` block", all, as_block(pass, {first, end}, pass.indent(all.start)), true});
}

constexpr NodeKind kKinds[] = {NodeKind::Function, NodeKind::Pipeline,  NodeKind::Tool,     NodeKind::Struct,
                               NodeKind::Enum,     NodeKind::Interface, NodeKind::TypeAlias};

}  // namespace

extern const Rule kLegacyDocComment = {
    .name = "legacy-doc-comment",
    .code = diag::Code::LegacyDocComment,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
