#include "syntax/token.h"

#include <array>
#include <cstring>
#include <utility>

namespace harn::syntax {

namespace {

struct Keyword {
  std::string_view text;
  TokenKind kind;
};

constexpr Keyword kKeywords[] = {
#define HARN_KEYWORD(name, text) {text, TokenKind::Kw##name},
#include "syntax/keywords.def"
#undef HARN_KEYWORD
};

constexpr size_t kLongestKeyword = 16;
constexpr size_t kSlots = 256;

constexpr size_t hash(std::string_view word, uint32_t seed) {
  auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(word[i])); };
  uint32_t h = at(0) + at(1) * 31 + at(word.size() - 1) * 961;
  return ((h + static_cast<uint32_t>(word.size())) * seed >> 16) % kSlots;
}

// Looks for a multiplier under which no two keywords meet, so a lookup is one compare.
consteval uint32_t find_seed() {
  for (uint32_t seed = 0x9E37;; seed += 2) {
    std::array<bool, kSlots> used{};
    bool good = true;
    for (const Keyword& keyword : kKeywords) {
      bool& slot = used[hash(keyword.text, seed)];
      if (slot) {
        good = false;
        break;
      }
      slot = true;
    }
    if (good) return seed;
  }
}

constexpr uint32_t kSeed = find_seed();

consteval std::array<Keyword, kSlots> make_table() {
  std::array<Keyword, kSlots> table{};
  for (const Keyword& keyword : kKeywords) table[hash(keyword.text, kSeed)] = keyword;
  return table;
}

constexpr std::array<Keyword, kSlots> kTable = make_table();

}  // namespace

TokenKind keyword_or_identifier(std::string_view word) {
  if (word.size() < 2 || word.size() > kLongestKeyword) return TokenKind::Identifier;
  const Keyword& slot = kTable[hash(word, kSeed)];
  return slot.text == word ? slot.kind : TokenKind::Identifier;
}

const std::vector<std::string_view>& keywords() {
  static const std::vector<std::string_view> list = [] {
    std::vector<std::string_view> words;
    for (const Keyword& keyword : kKeywords) words.push_back(keyword.text);
    return words;
  }();
  return list;
}

std::string_view spelling(TokenKind kind) {
  switch (kind) {
    case TokenKind::Eof:
    case TokenKind::Identifier:
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::Duration:
    case TokenKind::String:
    case TokenKind::RawString:
    case TokenKind::MultilineString:
    case TokenKind::StringText:
    case TokenKind::BrokenString: return {};
    case TokenKind::StringOpen:
    case TokenKind::StringClose: return "\"";
    case TokenKind::MultilineOpen: return "\"\"\"";
    case TokenKind::InterpOpen: return "${";
    case TokenKind::InterpClose: return "}";
    case TokenKind::LeftParen: return "(";
    case TokenKind::RightParen: return ")";
    case TokenKind::LeftBracket: return "[";
    case TokenKind::RightBracket: return "]";
    case TokenKind::LeftBrace: return "{";
    case TokenKind::RightBrace: return "}";
    case TokenKind::Comma: return ",";
    case TokenKind::Colon: return ":";
    case TokenKind::ColonColon: return "::";
    case TokenKind::Semicolon: return ";";
    case TokenKind::At: return "@";
    case TokenKind::Dot: return ".";
    case TokenKind::QuestionDot: return "?.";
    case TokenKind::Ellipsis: return "...";
    case TokenKind::Question: return "?";
    case TokenKind::Arrow: return "->";
    case TokenKind::Assign: return "=";
    case TokenKind::PlusAssign: return "+=";
    case TokenKind::MinusAssign: return "-=";
    case TokenKind::StarAssign: return "*=";
    case TokenKind::SlashAssign: return "/=";
    case TokenKind::PercentAssign: return "%=";
    case TokenKind::Pipe: return "|>";
    case TokenKind::OrOr: return "||";
    case TokenKind::AndAnd: return "&&";
    case TokenKind::EqualEqual: return "==";
    case TokenKind::NotEqual: return "!=";
    case TokenKind::Less: return "<";
    case TokenKind::Greater: return ">";
    case TokenKind::LessEqual: return "<=";
    case TokenKind::GreaterEqual: return ">=";
    case TokenKind::Plus: return "+";
    case TokenKind::Minus: return "-";
    case TokenKind::QuestionQuestion: return "??";
    case TokenKind::Star: return "*";
    case TokenKind::Slash: return "/";
    case TokenKind::Percent: return "%";
    case TokenKind::StarStar: return "**";
    case TokenKind::Not: return "!";
    case TokenKind::Bar: return "|";
    case TokenKind::Ampersand: return "&";
#define HARN_KEYWORD(name, text) \
  case TokenKind::Kw##name:      \
    return text;
#include "syntax/keywords.def"
#undef HARN_KEYWORD
  }
  return {};
}

}  // namespace harn::syntax
