#include "lint/settings.h"

#include <algorithm>

#include "base/source.h"
#include "base/text.h"
#include "diag/diagnostic.h"
#include "lint/rule.h"

namespace harn::lint {

bool Settings::is_disabled(std::string_view rule) const {
  return std::find(disabled.begin(), disabled.end(), rule) != disabled.end();
}

namespace {

constexpr std::string_view kKeys[] = {"disabled",
                                      "require_file_header",
                                      "require_docstrings",
                                      "complexity_threshold",
                                      "template_variant_branch_threshold",
                                      "persona_step_allowlist"};

class Reader {
 public:
  Reader(const SourcePtr& source, diag::Sink& sink) : source_(source), sink_(sink) {}

  Settings read(const modules::LintTable& table) {
    Settings out;
    for (const modules::ManifestWord& word : table.disabled) disable(word, out);
    for (const modules::ManifestWord& word : table.persona_step_allowlist) {
      out.persona_step_allowlist.push_back(word.text);
    }
    out.require_file_header = table.require_file_header.value_or(out.require_file_header);
    out.require_docstrings = table.require_docstrings.value_or(out.require_docstrings);
    out.complexity_threshold = table.complexity_threshold.value_or(out.complexity_threshold);
    out.template_variant_branch_threshold =
        table.template_variant_branch_threshold.value_or(out.template_variant_branch_threshold);
    for (const modules::ManifestWord& word : table.unknown) refuse_key(word);
    for (const modules::ManifestWord& word : table.wrong) {
      sink_.report(diag::Code::BadLintSetting, source_, span_of(word, 1), word.text);
    }
    return out;
  }

 private:
  // Of a word, or of the first so many bytes.
  Span span_of(const modules::ManifestWord& word, size_t length) const {
    uint32_t line = std::clamp<uint32_t>(word.line, 1, source_->line_count());
    uint32_t start = source_->line_start(line) + (word.column > 0 ? word.column - 1 : 0);
    auto size = static_cast<uint32_t>(source_->text().size());
    start = std::min(start, size);
    return {start, std::min(start + static_cast<uint32_t>(length), size)};
  }

  void disable(const modules::ManifestWord& word, Settings& out) {
    if (const Rule* rule = find_rule(word.text)) {
      out.disabled.emplace_back(rule->name);
      return;
    }
    auto report = sink_.report(diag::Code::UnknownLintRule, source_, span_of(word, word.text.size() + 2), word.text);
    if (auto close = close_rule(word.text); !close.empty()) report.help(fmt::format("did you mean `{}`?", close));
  }

  void refuse_key(const modules::ManifestWord& word) {
    auto report = sink_.report(diag::Code::BadLintSetting, source_, span_of(word, word.text.size()),
                               fmt::format("`[lint]` has no setting `{}`", word.text));
    auto close = text::close_names(word.text, kKeys, 1);
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
  }

  const SourcePtr& source_;
  diag::Sink& sink_;
};

}  // namespace

Settings settings_of(const modules::Manifest& manifest, const std::string& path, const std::string& text,
                     diag::Sink& sink) {
  SourcePtr source = std::make_shared<SourceFile>(path, text);
  return Reader(source, sink).read(manifest.lint);
}

}  // namespace harn::lint
