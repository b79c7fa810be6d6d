#include "syntax/parser.h"

// Questions that need more than one token to answer. Each looks only at tokens of the current
// bracket level (brackets inside are jumped over) or gives up after a fixed number of steps, so
// that asking them everywhere stays linear.
namespace harn::syntax {

namespace {

constexpr uint32_t kMostTypeTokens = 256;
constexpr uint32_t kMostTypeDepth = 32;
constexpr uint32_t kMostScanTokens = 512;

}  // namespace

// The index after the bracket that opens at `index`, or after just the opener when it has no
// closer of its own.
uint32_t Parser::skip_bracket(uint32_t index) const {
  const Token& t = tokens_[index];
  if (t.partner == 0 || t.flags & Token::kUnpaired) return index + 1;
  return t.partner + 1;
}

// These return the index after the type, 0 when there is none.
uint32_t Parser::scan_type(uint32_t index, uint32_t limit, uint32_t depth) const {
  if (depth > kMostTypeDepth) return 0;
  for (;;) {
    index = scan_type_primary(index, limit, depth);
    if (index == 0) return 0;
    while (tokens_[index].kind == TokenKind::Question) ++index;
    TokenKind next = tokens_[index].kind;
    if (next != TokenKind::Bar && next != TokenKind::Ampersand) return index;
    ++index;
  }
}

uint32_t Parser::scan_type_primary(uint32_t index, uint32_t limit, uint32_t depth) const {
  using enum TokenKind;
  if (index >= limit || index >= count_) return 0;
  switch (tokens_[index].kind) {
    case KwNil:
    case KwTrue:
    case KwFalse:
    case String:
    case RawString:
    case Int: return index + 1;
    case Minus: return tokens_[index + 1].kind == Int ? index + 2 : 0;
    case Identifier:
      if (tokens_[index + 1].kind != Less) return index + 1;
      return scan_type_args(index + 1, limit, depth + 1);
    case LeftParen:
    case LeftBracket:
    case LeftBrace: {
      uint32_t after = skip_bracket(index);
      return after > index + 1 ? after : 0;
    }
    case KwFn: {
      if (tokens_[index + 1].kind != LeftParen) return 0;
      uint32_t after = skip_bracket(index + 1);
      if (tokens_[after].kind != Arrow) return 0;
      return scan_type(after + 1, limit, depth + 1);
    }
    default: return 0;
  }
}

uint32_t Parser::scan_type_args(uint32_t index, uint32_t limit, uint32_t depth) const {
  do {
    index = scan_type(index + 1, limit, depth);
    if (index == 0) return 0;
  } while (tokens_[index].kind == TokenKind::Comma);
  return tokens_[index].kind == TokenKind::Greater ? index + 1 : 0;
}

// At `<` directly after a name: whether it begins type arguments that `next` follows. With a space
// before it, `<` always compares.
bool Parser::type_args_precede(TokenKind next) const {
  auto from = static_cast<uint32_t>(at_);
  uint32_t after = scan_type_args(from, from + kMostTypeTokens, 0);
  return after != 0 && tokens_[after].kind == next && !tokens_[after].starts_line();
}

// From a parameter's default on, in a place where it could also be an assignment: whether the `->`
// of a closure comes before anything that only a block has.
bool Parser::finds_closure_arrow(uint32_t index) const {
  using enum TokenKind;
  for (uint32_t steps = 0; steps < kMostScanTokens; ++steps) {
    TokenKind k = tokens_[index].kind;
    switch (k) {
      case Arrow: return true;
      case Eof:
      case Semicolon:
      case RightBrace:
      case RightParen:
      case RightBracket:
      case InterpClose: return false;
      case KwLet:
      case KwVar:
      case KwConst:
      case KwReturn:
      case KwFor:
      case KwWhile:
      case KwThrow:
      case KwGuard:
      case KwRequire:
      case KwDefer:
      case KwPipeline:
      case KwTool:
      case KwType:
      case KwPub:
      case At:
        if (tokens_[index].starts_line()) return false;  // otherwise it is a field's name
        ++index;
        continue;
      case KwFn:
        if (tokens_[index + 1].kind != LeftParen) {
          if (tokens_[index].starts_line()) return false;
          ++index;
          continue;
        }
        index = skip_bracket(index + 1);
        if (tokens_[index].kind == Arrow) {
          uint32_t after = scan_type(index + 1, static_cast<uint32_t>(count_), 0);
          // `fn(x) -> y { }`, or the closure's own arrow behind `fn(x)`, which is no value.
          if (after == 0) return false;
          index = after;
        }
        continue;
      case LeftParen:
      case LeftBracket:
      case LeftBrace:
      case StringOpen:
      case MultilineOpen: index = skip_bracket(index); continue;
      default: ++index;
    }
  }
  return false;
}

// At `{`: whether parameters and `->` follow.
bool Parser::looks_like_closure(Place place) const {
  using enum TokenKind;
  auto index = static_cast<uint32_t>(at_ + 1);
  if (tokens_[index].kind == Arrow) return true;
  for (;;) {
    if (tokens_[index].kind == Ellipsis) ++index;
    if (!is_word(tokens_[index].kind)) return false;
    ++index;
    if (tokens_[index].kind == Colon) {
      index = scan_type(index + 1, static_cast<uint32_t>(count_), 0);
      if (index == 0) return false;
    }
    switch (tokens_[index].kind) {
      case Arrow: return true;
      case Comma: ++index; break;
      case Assign:
        // Nothing else in an expression looks like this. A block may begin with an assignment.
        return place == Place::Expression || finds_closure_arrow(index + 1);
      default: return false;
    }
  }
}

// At `{`: whether a dict with at least one entry follows.
bool Parser::looks_like_dict() const {
  using enum TokenKind;
  TokenKind first = kind(1);
  if (is_word(first) || first == String || first == RawString) return kind(2) == Colon;
  if (first == LeftBracket) {
    uint32_t after = skip_bracket(static_cast<uint32_t>(at_ + 1));
    return after > at_ + 2 && tokens_[after].kind == Colon;
  }
  return first == Ellipsis;
}

bool Parser::starts_expression(TokenKind k) const {
  using enum TokenKind;
  switch (k) {
    case Identifier:
    case Int:
    case Float:
    case Duration:
    case String:
    case RawString:
    case MultilineString:
    case StringOpen:
    case MultilineOpen:
    case BrokenString:
    case LeftParen:
    case LeftBracket:
    case LeftBrace:
    case Minus:
    case Not:
    case KwIf:
    case KwMatch:
    case KwRetry:
    case KwParallel:
    case KwTrue:
    case KwFalse:
    case KwNil:
    case KwTry:
    case KwFn:
    case KwSpawn:
    case KwDeadline:
    case KwMutex:
    case KwSelect:
    case KwRequestApproval:
    case KwDualControl:
    case KwAskUser:
    case KwEscalateTo: return true;
    default: return false;
  }
}

// Whether a token at the start of a line goes on with the expression before it.
bool Parser::continues_line(const Token& t) const {
  using enum TokenKind;
  switch (t.kind) {
    case Pipe:
    case OrOr:
    case AndAnd:
    case EqualEqual:
    case NotEqual:
    case Less:
    case Greater:
    case LessEqual:
    case GreaterEqual:
    case QuestionQuestion:
    case Plus:
    case Star:
    case Slash:
    case Percent:
    case StarStar:
    case Dot:
    case QuestionDot:
    case Question:
    case Colon:
    case KwElse:
    case KwCatch:
    case KwFinally: return true;
    default: return false;
  }
}

// Whether the `?` at the current token begins a ternary. `a? b` is no expression, so most tokens
// decide it at once; after those that could also go on behind a postfix `?`, such as `[`, the line
// must hold the `:`.
bool Parser::is_ternary(const Token& question) {
  using enum TokenKind;
  const Token& next = token(1);
  if (next.starts_line() && context_.newlines_end) return false;
  auto from = static_cast<uint32_t>(at_ + 1);
  bool tight = !question.after_space();
  switch (next.kind) {
    case LeftBracket:
      if (tight && !next.after_space() && context_.pending_ternaries > 0) return false;
      return finds_ternary_colon(from);
    case LeftParen:
    case LeftBrace:
    case Minus:
      if (tight && context_.pending_ternaries > 0) return false;
      return finds_ternary_colon(from);
    case KwIf: return finds_ternary_colon(from);
    case Identifier:
      if (kind(2) == KwIn && text(next) == "not") return false;
      if (kind(2) == LeftBrace && text(next) == "with") return false;
      return true;
    default: return starts_expression(next.kind);
  }
}

bool Parser::finds_ternary_colon(uint32_t from) const {
  using enum TokenKind;
  uint32_t inner = 0;  // further `?` that need a `:` of their own
  uint32_t index = from;
  for (uint32_t steps = 0; steps < kMostScanTokens; ++steps) {
    const Token& t = tokens_[index];
    bool line_ends = t.starts_line() && context_.newlines_end && !continues_line(t);
    if (line_ends && index > from) return false;
    switch (t.kind) {
      case Eof:
      case Comma:
      case Semicolon:
      case Arrow:
      case Assign:
      case RightParen:
      case RightBracket:
      case RightBrace:
      case InterpClose: return false;
      case KwElse:  // of an `if` in the branch, or the end of a guard's condition
        if (tokens_[index - 1].kind != RightBrace) return false;
        break;
      case KwFn:  // its arrow ends nothing
        if (tokens_[index + 1].kind != LeftParen) break;
        index = skip_bracket(index + 1);
        if (tokens_[index].kind == Arrow) {
          index = scan_type(index + 1, static_cast<uint32_t>(count_), 0);
          if (index == 0) return false;
        }
        continue;
      case Colon:
        if (inner == 0) return true;
        --inner;
        break;
      case Question:
        if (t.after_space() && starts_expression(tokens_[index + 1].kind)) ++inner;
        break;
      case LeftParen:
      case LeftBracket:
      case LeftBrace:
      case StringOpen:
      case MultilineOpen: index = skip_bracket(index); continue;
      default: break;
    }
    ++index;
  }
  return false;
}

}  // namespace harn::syntax
