#include "syntax/input.h"

#include <algorithm>

#include "base/text.h"
#include "diag/diagnostic.h"
#include "syntax/lexer.h"
#include "syntax/tree.h"

namespace harn::syntax {

namespace {

constexpr std::string_view kContinuations[] = {"else", "catch", "finally"};

bool parses(std::string text) {
  diag::Sink sink;
  return !parse(std::make_shared<SourceFile>("", std::move(text)), sink)->has_errors;
}

// Whether the end of the text is all that is wrong with it.
bool only_ends_early(const diag::Sink& sink) {
  return std::all_of(sink.diagnostics().begin(), sink.diagnostics().end(), [](const diag::Diagnostic& one) {
    return one.code == diag::Code::UnexpectedEnd || one.severity != diag::Severity::Error;
  });
}

}  // namespace

InputState input_state(std::string_view text) {
  auto source = std::make_shared<SourceFile>("", std::string(text));
  diag::Sink sink;
  TokenList list = lex(source, sink);
  bool joins = text::trim_end(text).ends_with('\\') && list.tokens.size() > 1;
  // A string that ends with its line is an error that no further line mends.
  if (sink.has_errors() && !list.open_at_end && !joins) return InputState::Whole;
  if (!list.unclosed.empty() || list.open_at_end || joins) return InputState::Open;
  if (!parse(source, sink)->has_errors) {
    bool may_go_on = list.tokens.size() > 1 && list.tokens[list.tokens.size() - 2].kind == TokenKind::RightBrace &&
                     std::any_of(std::begin(kContinuations), std::end(kContinuations), [&](std::string_view word) {
                       return parses(std::string(text) + "\n" + std::string(word) + " { }");
                     });
    return may_go_on ? InputState::MayGoOn : InputState::Whole;
  }
  return only_ends_early(sink) ? InputState::Unfinished : InputState::Whole;
}

bool continues_block(std::string_view line) {
  std::string_view trimmed = text::trim_start(line);
  return std::any_of(std::begin(kContinuations), std::end(kContinuations), [&](std::string_view word) {
    return trimmed.starts_with(word) &&
           (trimmed.size() == word.size() || !text::is_identifier_part(trimmed[word.size()]));
  });
}

}  // namespace harn::syntax
