// `return (x)`: parentheses around a single name or literal. Parentheses are not in the tree, so this looks at tokens. In the
// pattern of a `match` they have a meaning.
#include "base/text.h"
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_value(TokenKind kind) {
  switch (kind) {
    case TokenKind::Identifier:
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::String:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse:
    case TokenKind::KwNil: return true;
    default: return false;
  }
}

// An expression begins behind it, and nothing else in parentheses can.
bool opens_expression(TokenKind kind) {
  switch (kind) {
    case TokenKind::Assign:
    case TokenKind::KwReturn:
    case TokenKind::KwIf:
    case TokenKind::KwWhile:
    case TokenKind::KwThrow:
    case TokenKind::AndAnd:
    case TokenKind::OrOr:
    case TokenKind::EqualEqual:
    case TokenKind::NotEqual:
    case TokenKind::Plus:
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::QuestionQuestion: return true;
    default: return false;
  }
}

// `if (Name) { ... }` would begin a struct literal; `Name<` may begin type arguments.
bool must_stay(Pass& pass, const Token& value, const Token& next) {
  std::string_view text = pass.text(value.span());
  bool is_type = text[0] >= 'A' && text[0] <= 'Z';
  return text == "_" || (is_type && next.kind == TokenKind::LeftBrace) || next.kind == TokenKind::Dot ||
         next.kind == TokenKind::LeftParen || next.kind == TokenKind::LeftBracket || next.kind == TokenKind::Question ||
         next.kind == TokenKind::QuestionDot || next.kind == TokenKind::Less;
}

void check(Pass& pass) {
  auto& tokens = pass.tokens();
  for (size_t at = 1; at + 3 < tokens.size(); ++at) {
    const Token& open = tokens[at];
    bool is_pair = open.kind == TokenKind::LeftParen && tokens[at + 2].kind == TokenKind::RightParen;
    if (!is_pair || !is_value(tokens[at + 1].kind) || !opens_expression(tokens[at - 1].kind)) continue;
    const Token& value = tokens[at + 1];
    Span span{open.start, tokens[at + 2].end};
    if (must_stay(pass, value, tokens[at + 3]) || pass.has_comment(span)) continue;
    // `return(x)` has no space of its own.
    std::string written(pass.text(value.span()));
    if (!open.after_space() && is_keyword(tokens[at - 1].kind)) written = " " + written;
    pass.report(span, text::trim(written)).fix({"remove them", span, written, true});
  }
}

}  // namespace

extern const Rule kUnnecessaryParentheses = {
    .name = "unnecessary-parentheses",
    .code = diag::Code::UnnecessaryParentheses,
    .module = check,
};

}  // namespace harn::lint
