// Typed prompts (`std/prompt`) whose templates are written out: placeholders must be fields of the section's struct.
#include <algorithm>

#include "base/placeholders.h"
#include "base/text.h"
#include "check/checker.h"
#include "compile/prompt_calls.h"

namespace harn::check {

using diag::Code;
using namespace syntax;

namespace {

// Where a placeholder stands in the literal. Escapes may hide it: then it is the whole literal.
Span placeholder_span(std::string_view raw, Span literal, std::string_view name) {
  for (size_t at = raw.find('$'); at != raw.npos; at = raw.find('$', at + 1)) {
    size_t from = at + 1;
    bool is_braced = raw.substr(from).starts_with('{');
    from += is_braced;
    std::string_view rest = raw.substr(from);
    if (!rest.starts_with(name)) continue;
    char after = rest.size() > name.size() ? rest[name.size()] : '"';
    bool goes_on = (after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z') || (after >= '0' && after <= '9') ||
                   after == '_';
    if (goes_on || (is_braced && after != '}')) continue;
    auto start = static_cast<uint32_t>(literal.start + from);
    return {start, start + static_cast<uint32_t>(name.size())};
  }
  return literal;
}

}  // namespace

void Checker::prompt_template(const StringLiteral& literal, const Struct& params, std::string_view what) {
  std::vector<std::string_view> fields;
  for (const StructField& field : params.fields) fields.push_back(field.name.text);
  PlaceholderScanner scanner(literal.value);
  while (scanner.next()) {
    const PlaceholderPiece& piece = scanner.piece();
    if (piece.kind == PlaceholderPiece::Kind::Bad) {
      report(Code::PromptDollar, literal.span).help("write `$$` for a dollar sign");
      continue;
    }
    if (piece.kind != PlaceholderPiece::Kind::Name || std::ranges::find(fields, piece.text) != fields.end()) continue;
    Span span = placeholder_span(module_.source->text(literal.span), literal.span, piece.text);
    auto told = report(Code::PromptPlaceholder, span, what, piece.text, params.name.text);
    told.label("no such field");
    auto close = text::close_names(piece.text, fields);
    if (close.empty()) continue;
    told.help(fmt::format("did you mean `{}`?", close[0]));
    if (span != literal.span) told.fix({fmt::format("use `{}`", close[0]), span, std::string(close[0]), false});
  }
}

void Checker::prompt_section(const Call& node) {
  compile::PromptCall call = compile::prompt_call(node, bindings_);
  if (!call.is_section() || !call.params) return;
  for (std::string_view what : {"template", "summary"}) {
    if (const StringLiteral* literal = call.text(what)) prompt_template(*literal, *call.params, what);
  }
}

}  // namespace harn::check
