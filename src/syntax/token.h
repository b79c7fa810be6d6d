#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.h"

// What the lexer cuts text into.
namespace harn::syntax {

// In groups.
// clang-format off
enum class TokenKind : uint8_t {
  Eof,
  Identifier, Int, Float, Duration,
  // Strings without `${` are one token. The others are StringOpen, then StringText and
  // InterpOpen ... InterpClose in any order, then StringClose.
  String, RawString, MultilineString,
  StringOpen, MultilineOpen, StringText, InterpOpen, InterpClose, StringClose,
  BrokenString,  // already reported
  // Brackets come in pairs: an opener is even, its closer is the next one.
  LeftParen, RightParen, LeftBracket, RightBracket, LeftBrace, RightBrace,
  Comma, Colon, ColonColon, Semicolon, At, Dot, QuestionDot, Ellipsis, Question, Arrow,
  Assign, PlusAssign, MinusAssign, StarAssign, SlashAssign, PercentAssign,
  Pipe, OrOr, AndAnd, EqualEqual, NotEqual, Less, Greater, LessEqual, GreaterEqual,
  Plus, Minus, QuestionQuestion, Star, Slash, Percent, StarStar, Not, Bar, Ampersand,
#define HARN_KEYWORD(name, text) Kw##name,
#include "syntax/keywords.def"
#undef HARN_KEYWORD
};
// clang-format on

constexpr TokenKind kFirstKeyword = TokenKind::KwPipeline;
constexpr bool is_keyword(TokenKind kind) { return kind >= kFirstKeyword; }
// An identifier or a keyword: what may name a field, a key or an argument.
constexpr bool is_word(TokenKind kind) { return kind == TokenKind::Identifier || is_keyword(kind); }

struct Token {
  enum Flag : uint8_t {
    kNewlineBefore = 1,  // a line end lies between it and the token before it
    kSpaceBefore = 2,    // white space or a comment does
    kHasEscape = 4,      // strings: holds a backslash
    kIntMin = 8,         // Int: 9223372036854775808, good only after a minus
    kUnpaired = 16,      // opener: `partner` is the closer of a bracket around it
  };

  TokenKind kind;
  uint8_t flags;
  uint32_t start;
  uint32_t end;
  uint32_t partner;  // brackets and strings: the index of the other end, 0 when it is missing

  Span span() const { return {start, end}; }
  bool starts_line() const { return flags & kNewlineBefore; }
  bool after_space() const { return flags & (kSpaceBefore | kNewlineBefore); }
};
static_assert(sizeof(Token) == 16);

// How a token of this kind is written; empty for kinds without a fixed text.
std::string_view spelling(TokenKind kind);
// The keyword with this text, or Identifier.
TokenKind keyword_or_identifier(std::string_view word);
// All reserved words, in the order of the document.
const std::vector<std::string_view>& keywords();

}  // namespace harn::syntax
