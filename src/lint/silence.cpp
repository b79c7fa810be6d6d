#include "lint/silence.h"

#include <algorithm>

#include "base/text.h"
#include "lint/rule.h"

namespace harn::lint {

using namespace syntax;

Silence::Silence(const Tree& tree, const Settings& settings, diag::Sink& sink) : tree_(tree), settings_(settings) {
  for (const Comment& comment : tree.comments) read(comment, sink);
}

bool Silence::covers(const diag::Diagnostic& diagnostic) const {
  const Rule* rule = find_rule(diagnostic.code);
  if (!rule) return false;
  if (settings_.is_disabled(rule->name)) return true;
  if (allowed_.empty()) return false;
  auto found = allowed_.find(tree_.source->position(diagnostic.span.start).line);
  if (found == allowed_.end()) return false;
  return std::find(found->second.begin(), found->second.end(), rule->name) != found->second.end();
}

void Silence::read(const Comment& comment, diag::Sink& sink) {
  constexpr std::string_view kMark = "harn-lint:";
  std::string_view text = tree_.source->text(comment.span);
  size_t at = text.find(kMark);
  if (at == text.npos) return;
  size_t open = text.find("allow(", at);
  size_t close = text.find(')', open == text.npos ? at : open);
  if (open == text.npos || close == text.npos) {
    sink.report(diag::Code::BadLintComment, tree_.source, comment.span)
        .help("write `// harn-lint: allow(rule-name)`, with commas between several");
    return;
  }
  std::string_view names = text.substr(open + 6, close - open - 6);
  for (std::string_view name : text::split(names, ",")) {
    if (std::string_view trimmed = text::trim(name); !trimmed.empty()) allow(trimmed, comment, sink);
  }
}

void Silence::allow(std::string_view name, const Comment& comment, diag::Sink& sink) {
  const Rule* rule = find_rule(name);
  if (!rule) {
    auto start = static_cast<uint32_t>(name.data() - tree_.source->text().data());
    Span span{start, start + static_cast<uint32_t>(name.size())};
    auto report = sink.report(diag::Code::UnknownLintRule, tree_.source, span, name);
    std::string_view close = close_rule(name);
    if (close.empty()) return;
    report.help(fmt::format("did you mean `{}`?", close));
    report.fix({fmt::format("use `{}`", close), span, std::string(close), true});
    return;
  }
  uint32_t line =
      comment.own_line ? next_line_of_code(comment.span.end) : tree_.source->position(comment.span.start).line;
  allowed_[line].push_back(rule->name);
}

// Comments may stand in between.
uint32_t Silence::next_line_of_code(uint32_t offset) const {
  std::string_view text = tree_.source->text();
  auto comment = std::upper_bound(tree_.comments.begin(), tree_.comments.end(), offset,
                                  [](uint32_t at, const Comment& one) { return at <= one.span.start; });
  for (;;) {
    while (offset < text.size() &&
           (text[offset] == ' ' || text[offset] == '\t' || text[offset] == '\n' || text[offset] == '\r')) {
      ++offset;
    }
    if (comment == tree_.comments.end() || comment->span.start != offset) break;
    offset = comment->span.end;
    ++comment;
  }
  return tree_.source->position(offset).line;
}

}  // namespace harn::lint
