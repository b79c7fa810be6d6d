#include "syntax/lexer.h"

#include <array>

#include "base/text.h"
#include "diag/diagnostic.h"

// Strings with `${` in them are cut flat: the lexer keeps a stack of the strings it is inside of,
// and the `}` that ends an interpolation continues the text of the string on top. So an
// interpolation may hold anything, strings and braces included, and every byte is read once.
namespace harn::syntax {

namespace {

enum CharClass : uint8_t { kOther, kSpace, kNewline, kWord, kDigit, kQuote, kPunct };

consteval std::array<CharClass, 256> make_classes() {
  std::array<CharClass, 256> table{};
  for (int c = 0; c < 256; ++c) {
    if (c == ' ' || c == '\t' || c == '\r') table[c] = kSpace;
    else if (c == '\n') table[c] = kNewline;
    else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') table[c] = kWord;
    else if (c >= '0' && c <= '9') table[c] = kDigit;
    else if (c == '"') table[c] = kQuote;
    else if (c > ' ' && c < 127) table[c] = kPunct;
  }
  return table;
}
constexpr auto kClasses = make_classes();

// Characters a string's text is scanned for.
consteval std::array<bool, 256> make_stops() {
  std::array<bool, 256> table{};
  for (char c : {'"', '\\', '$', '\n'}) table[static_cast<uint8_t>(c)] = true;
  return table;
}
constexpr auto kStringStops = make_stops();

class Lexer {
 public:
  Lexer(const SourcePtr& source, diag::Sink& sink) : source_(source), sink_(sink), text_(source->text()) {}

  TokenList run();

 private:
  // A string whose text goes on after the interpolation the lexer is in.
  struct OpenString {
    uint32_t token;
    bool multiline;
    uint32_t parens, brackets, braces;  // open counts outside
  };

  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  uint8_t byte(size_t at) const { return static_cast<uint8_t>(text_[at]); }

  void skip_prologue();
  void check_utf8();
  void lex_one();
  void newline();
  void word();
  void number();
  void finish_number(size_t start, TokenKind kind);
  void comment_line();
  void comment_block();
  void punctuation();
  void raw_string(size_t hashes);
  void string();
  void string_text(bool is_continuation);
  void open(TokenKind kind);
  void close(TokenKind kind);
  void close_interpolation();
  void break_one_line_strings(size_t end);
  void break_string(size_t open_string, size_t end);
  void unexpected();
  void finish();

  uint32_t push(TokenKind kind, size_t start, size_t end) {
    auto index = static_cast<uint32_t>(out_.tokens.size());
    out_.tokens.push_back({kind, flags_, static_cast<uint32_t>(start), static_cast<uint32_t>(end), 0});
    flags_ = 0;
    return index;
  }
  void take(TokenKind kind, size_t length) {
    push(kind, at_, at_ + length);
    at_ += length;
  }
  void pair(uint32_t opener, uint32_t closer) {
    out_.tokens[opener].partner = closer;
    out_.tokens[closer].partner = opener;
  }
  void leave_unpaired(uint32_t opener, uint32_t closer) {
    out_.tokens[opener].partner = closer;
    out_.tokens[opener].flags |= Token::kUnpaired;
  }
  uint32_t& count_of(TokenKind opener) {
    if (opener == TokenKind::LeftParen) return parens_;
    if (opener == TokenKind::LeftBracket) return brackets_;
    return braces_;
  }
  static Span span(size_t start, size_t end) { return {static_cast<uint32_t>(start), static_cast<uint32_t>(end)}; }
  diag::Report report(diag::Code code, size_t start, size_t end, std::string_view what = {}) {
    return sink_.report(code, source_, span(start, end), what);
  }

  const SourcePtr& source_;
  diag::Sink& sink_;
  std::string_view text_;
  size_t at_ = 0;
  uint8_t flags_ = Token::kNewlineBefore;
  TokenList out_;
  std::vector<uint32_t> openers_;  // token indexes of open brackets and interpolations
  std::vector<OpenString> strings_;
  uint32_t parens_ = 0, brackets_ = 0, braces_ = 0;  // open since the last interpolation began
  bool valid_utf8_ = true;
};

TokenList Lexer::run() {
  if (text_.size() > kLargestFile) {
    report(diag::Code::FileTooLarge, 0, 0, std::to_string(kLargestFile));
    text_ = {};
  }
  out_.tokens.reserve(text_.size() / 3 + 16);
  check_utf8();
  skip_prologue();
  while (at_ < text_.size()) lex_one();
  finish();
  return std::move(out_);
}

void Lexer::check_utf8() {
  valid_utf8_ = text::is_valid_utf8(text_);
  if (valid_utf8_) return;
  size_t at = 0;
  while (at < text_.size()) {
    size_t size = text::char_size(text_, at);
    if (size == 1 && byte(at) >= 0x80) break;
    at += size;
  }
  report(diag::Code::InvalidUtf8, at, at + 1).label("this byte is not part of a UTF-8 character");
}

void Lexer::skip_prologue() {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (text_.substr(at_).starts_with("#!")) {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
}

void Lexer::lex_one() {
  switch (kClasses[byte(at_)]) {
    case kSpace:
      ++at_;
      flags_ |= Token::kSpaceBefore;
      return;
    case kNewline: return newline();
    case kWord: return word();
    case kDigit: return number();
    case kQuote: return string();
    case kPunct: return punctuation();
    case kOther: return unexpected();
  }
}

void Lexer::newline() {
  if (!strings_.empty() && !strings_.back().multiline) break_one_line_strings(at_);
  ++at_;
  flags_ |= Token::kNewlineBefore;
}

void Lexer::word() {
  size_t start = at_++;
  while (at_ < text_.size()) {
    CharClass c = kClasses[byte(at_)];
    if (c != kWord && c != kDigit) break;
    ++at_;
  }
  if (text_[start] == 'r' && at_ < text_.size()) {
    size_t hashes = 0;
    if (at_ == start + 1) {
      while (peek(hashes) == '#') ++hashes;
      if (peek(hashes) == '"') {
        at_ = start;
        return raw_string(hashes);
      }
    }
  }
  push(keyword_or_identifier(text_.substr(start, at_ - start)), start, at_);
}

void Lexer::raw_string(size_t hashes) {
  size_t start = at_;
  at_ += 2 + hashes;
  while (at_ < text_.size() && text_[at_] != '\n') {
    if (text_[at_++] != '"') continue;
    size_t closing = 0;
    while (closing < hashes && peek(closing) == '#') ++closing;
    if (closing < hashes) continue;
    at_ += hashes;
    push(TokenKind::RawString, start, at_);
    return;
  }
  report(diag::Code::UnterminatedString, start, start + 2 + hashes).label("this raw string has no end on its line");
  push(TokenKind::BrokenString, start, at_);
}

// 2^63 wraps in the sum below exactly when it does not fit.
static bool parse_digits(std::string_view digits, uint64_t& value) {
  value = 0;
  for (char c : digits) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return false;
    if (__builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value)) return false;
  }
  return value <= uint64_t{1} << 63;
}

static uint64_t unit_milliseconds(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  if (unit == "w") return 604'800'000;
  return 0;
}

void Lexer::number() {
  size_t start = at_;
  while (text::is_digit(peek(0))) ++at_;
  if (peek(0) == '.' && text::is_digit(peek(1))) {
    ++at_;
    while (text::is_digit(peek(0))) ++at_;
    return finish_number(start, TokenKind::Float);
  }
  size_t digits_end = at_;
  size_t unit_end = at_;
  while (unit_end < text_.size() && text::is_identifier_part(text_[unit_end])) ++unit_end;
  uint64_t unit = unit_milliseconds(text_.substr(at_, unit_end - at_));
  if (unit != 0) at_ = unit_end;

  uint64_t value = 0;
  bool fits = parse_digits(text_.substr(start, digits_end - start), value);
  constexpr uint64_t kMost = (uint64_t{1} << 63) - 1;
  if (unit != 0) fits = fits && value <= kMost / unit;
  if (!fits) {
    report(diag::Code::NumberTooLarge, start, at_, text_.substr(start, at_ - start))
        .label("the largest integer is 9223372036854775807");
  } else if (unit == 0 && value > kMost) {
    flags_ |= Token::kIntMin;
  }
  finish_number(start, unit != 0 ? TokenKind::Duration : TokenKind::Int);
}

void Lexer::finish_number(size_t start, TokenKind kind) {
  size_t end = at_;
  if (kClasses[static_cast<uint8_t>(peek(0))] == kWord && at_ < text_.size()) {
    while (text::is_identifier_part(peek(0))) ++at_;
    std::string_view tail = text_.substr(end, at_ - end);
    auto found = sink_.report(diag::Code::UnexpectedToken, source_, span(end, at_), "the number to end here",
                              format("`{}`", tail));
    if (tail[0] == '_') {
      found.help("digits are written without separators");
    } else if (kind == TokenKind::Float && unit_milliseconds(tail) != 0) {
      found.help("a duration is a whole number and a unit, such as `1500ms`");
    } else if (tail[0] == 'e' || tail[0] == 'E') {
      found.help("there is no exponent form; write `* 10 ** n`");
    } else if (text_.substr(start, end - start) == "0" && std::string_view("xXbBoO").contains(tail[0])) {
      found.help("numbers are written in decimal");
    } else {
      found.help("durations end in `ms`, `s`, `m`, `h`, `d` or `w`");
    }
  }
  push(kind, start, end);
}

void Lexer::comment_line() {
  size_t start = at_;
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  size_t end = at_;
  if (text_[end - 1] == '\r') --end;
  out_.comments.push_back({span(start, end), false, (flags_ & Token::kNewlineBefore) != 0});
  flags_ |= Token::kSpaceBefore;
}

void Lexer::comment_block() {
  size_t start = at_;
  bool own_line = flags_ & Token::kNewlineBefore;
  size_t depth = 0;
  bool has_newline = false;
  while (at_ < text_.size()) {
    if (text_[at_] == '/' && peek(1) == '*') {
      ++depth;
      at_ += 2;
    } else if (text_[at_] == '*' && peek(1) == '/') {
      at_ += 2;
      if (--depth == 0) break;
    } else {
      has_newline |= text_[at_] == '\n';
      ++at_;
    }
  }
  if (depth > 0) {
    report(diag::Code::UnterminatedComment, start, start + 2).label("this comment is not closed");
    out_.open_at_end = true;
  }
  out_.comments.push_back({span(start, at_), true, own_line});
  flags_ |= Token::kSpaceBefore;
  if (has_newline && !strings_.empty() && !strings_.back().multiline) break_one_line_strings(at_);
}

void Lexer::open(TokenKind kind) {
  openers_.push_back(push(kind, at_, at_ + 1));
  ++at_;
  ++count_of(kind);
}

// Pairs a closer with the nearest opener of its kind. Openers in between end there unpaired; a
// closer that nothing waits for does too. The counts make the second case cost nothing.
void Lexer::close(TokenKind kind) {
  auto opener = static_cast<TokenKind>(static_cast<uint8_t>(kind) - 1);
  if (kind == TokenKind::RightBrace && braces_ == 0 && !strings_.empty()) {
    return close_interpolation();
  }
  uint32_t closer = push(kind, at_, at_ + 1);
  ++at_;
  if (count_of(opener) == 0) return;
  for (;;) {
    uint32_t index = openers_.back();
    openers_.pop_back();
    TokenKind found = out_.tokens[index].kind;
    --count_of(found);
    if (found == opener) return pair(index, closer);
    leave_unpaired(index, closer);
  }
}

void Lexer::close_interpolation() {
  uint32_t closer = push(TokenKind::InterpClose, at_, at_ + 1);
  while (out_.tokens[openers_.back()].kind != TokenKind::InterpOpen) {
    leave_unpaired(openers_.back(), closer);
    openers_.pop_back();
  }
  uint32_t index = openers_.back();
  openers_.pop_back();
  pair(index, closer);
  ++at_;
  const OpenString& outer = strings_.back();
  parens_ = outer.parens;
  brackets_ = outer.brackets;
  braces_ = outer.braces;
  string_text(true);
}

void Lexer::string() {
  bool multiline = peek(1) == '"' && peek(2) == '"';
  uint32_t token = push(multiline ? TokenKind::MultilineOpen : TokenKind::StringOpen, at_, at_ + (multiline ? 3 : 1));
  at_ += multiline ? 3 : 1;
  strings_.push_back({token, multiline, parens_, brackets_, braces_});
  string_text(false);
}

// Reads text up to the string's end or the next `${`.
void Lexer::string_text(bool is_continuation) {
  const OpenString open = strings_.back();
  size_t start = at_;
  uint8_t flags = 0;
  for (;;) {
    while (at_ < text_.size() && !kStringStops[byte(at_)]) ++at_;
    if (at_ >= text_.size()) return;  // finish() reports it
    char c = text_[at_];
    if (c == '\\') {
      flags |= Token::kHasEscape;
      ++at_;
      if (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == '\n') {
      if (!open.multiline) return break_one_line_strings(at_);
      ++at_;
    } else if (c == '$') {
      ++at_;
      if (peek(0) != '{') continue;
      --at_;
      break;
    } else if (!open.multiline) {
      break;
    } else if (peek(1) == '"' && peek(2) == '"') {
      break;
    } else {
      ++at_;
    }
  }
  bool at_end = text_[at_] == '"';
  if (at_end && !is_continuation) {
    // No `${` at all: turn the opening token into the whole string.
    Token& token = out_.tokens[open.token];
    at_ += open.multiline ? 3 : 1;
    token.kind = open.multiline ? TokenKind::MultilineString : TokenKind::String;
    token.flags |= flags;
    token.end = static_cast<uint32_t>(at_);
    strings_.pop_back();
    return;
  }
  if (at_ > start) {
    flags_ = flags;
    push(TokenKind::StringText, start, at_);
  }
  flags_ = 0;
  if (at_end) {
    size_t length = open.multiline ? 3 : 1;
    uint32_t closer = push(TokenKind::StringClose, at_, at_ + length);
    pair(open.token, closer);
    at_ += length;
    strings_.pop_back();
    return;
  }
  openers_.push_back(push(TokenKind::InterpOpen, at_, at_ + 2));
  at_ += 2;
  parens_ = brackets_ = braces_ = 0;
}

// A line end breaks the one-line string on top and all one-line strings directly around it.
void Lexer::break_one_line_strings(size_t end) {
  size_t outer = strings_.size() - 1;
  while (outer > 0 && !strings_[outer - 1].multiline) --outer;
  break_string(outer, end);
}

// Reports a string without an end and puts one BrokenString where its tokens were.
void Lexer::break_string(size_t open_string, size_t end) {
  const OpenString broken = strings_[open_string];
  strings_.resize(open_string);
  Token opener = out_.tokens[broken.token];
  if (end > opener.start && text_[end - 1] == '\r') --end;
  auto found = report(diag::Code::UnterminatedString, opener.start, opener.end);
  found.label("this string is not closed");
  if (!broken.multiline && end < text_.size()) {
    found.help("a string ends on the line it starts on; use `\"\"\"` for text of several lines");
  }
  out_.tokens.resize(broken.token);
  while (!openers_.empty() && openers_.back() >= broken.token) openers_.pop_back();
  parens_ = broken.parens;
  brackets_ = broken.brackets;
  braces_ = broken.braces;
  flags_ = opener.flags;
  push(TokenKind::BrokenString, opener.start, end);
}

void Lexer::punctuation() {
  using enum TokenKind;
  auto two = [&](char second, TokenKind pair, TokenKind single) {
    if (peek(1) == second) take(pair, 2);
    else take(single, 1);
  };
  switch (text_[at_]) {
    case '(': return open(LeftParen);
    case '[': return open(LeftBracket);
    case '{': return open(LeftBrace);
    case ')': return close(RightParen);
    case ']': return close(RightBracket);
    case '}': return close(RightBrace);
    case ',': return take(Comma, 1);
    case ';': return take(Semicolon, 1);
    case '@': return take(At, 1);
    case ':': return two(':', ColonColon, Colon);
    case '.': return peek(1) == '.' && peek(2) == '.' ? take(Ellipsis, 3) : take(Dot, 1);
    case '?':
      if (peek(1) == '?') return take(QuestionQuestion, 2);
      return two('.', QuestionDot, Question);
    case '=': return two('=', EqualEqual, Assign);
    case '!': return two('=', NotEqual, Not);
    case '<': return two('=', LessEqual, Less);
    case '>': return two('=', GreaterEqual, Greater);
    case '+': return two('=', PlusAssign, Plus);
    case '%': return two('=', PercentAssign, Percent);
    case '&': return two('&', AndAnd, Ampersand);
    case '-':
      if (peek(1) == '>') return take(Arrow, 2);
      return two('=', MinusAssign, Minus);
    case '*':
      if (peek(1) == '*') return take(StarStar, 2);
      return two('=', StarAssign, Star);
    case '|':
      if (peek(1) == '|') return take(OrOr, 2);
      return two('>', Pipe, Bar);
    case '/':
      if (peek(1) == '/') return comment_line();
      if (peek(1) == '*') return comment_block();
      return two('=', SlashAssign, Slash);
    case '\\': {
      size_t next = at_ + 1;
      if (next < text_.size() && text_[next] == '\r') ++next;
      if (next < text_.size() && text_[next] == '\n') {
        at_ = next + 1;
        flags_ |= Token::kSpaceBefore;
        return;
      }
      return unexpected();
    }
    default: return unexpected();
  }
}

static std::string_view character_help(char32_t c) {
  switch (c) {
    case '\'':
    case '`':
    case 0x2018:
    case 0x2019:
    case 0x201C:
    case 0x201D: return "strings are written with `\"`";
    case '\\': return "a backslash joins two lines only when it is the last character of a line";
    case '^': return "powers are written with `**`";
    case 0xA0: return "this is a no-break space; use an ordinary one";
    case 0x2013:
    case 0x2212: return "this looks like a minus sign; use `-`";
    default: return {};
  }
}

// What ends a text that begins with a quote we do not know.
static std::string_view closing_quote(char32_t open) {
  switch (open) {
    case '\'': return "'";
    case '`': return "`";
    case 0x2018: return "\u2019";
    case 0x201C: return "\u201D";
    default: return {};
  }
}

void Lexer::unexpected() {
  size_t start = at_;
  char32_t c = text::decode(text_, at_);
  at_ += text::char_size(text_, at_);
  flags_ |= Token::kSpaceBefore;
  if (!valid_utf8_ && byte(start) >= 0x80) return;  // reported as a whole

  std::string shown = c < ' ' || c == 127 ? format("U+{:04X}", static_cast<uint32_t>(c))
                                          : format("`{}`", text_.substr(start, at_ - start));
  auto found = report(diag::Code::UnexpectedCharacter, start, at_, shown);
  if (c == '#') {
    found.fix({"comments start with `//`", span(start, at_), "//"});
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    return;
  }
  if (std::string_view close = closing_quote(c); !close.empty()) {
    // Swallow 'text' as a whole: one mistake, one report.
    constexpr size_t kFar = 200;
    std::string_view rest = text_.substr(at_, kFar);
    rest = rest.substr(0, rest.find('\n'));
    size_t length = rest.find(close);
    if (length != std::string_view::npos) {
      size_t end = at_ + length;
      found.fix({"strings are written with `\"`", span(start, end + close.size()),
                 format("\"{}\"", text_.substr(at_, end - at_))});
      at_ = end + close.size();
      push(TokenKind::BrokenString, start, at_);
      return;
    }
  }
  if (auto help = character_help(c); !help.empty()) found.help(std::string(help));
  // The rest of a run of the same kind is the same mistake.
  while (at_ < text_.size() && byte(at_) >= 0x80 && byte(start) >= 0x80) ++at_;
}

void Lexer::finish() {
  if (!strings_.empty()) {
    out_.open_at_end = strings_[0].multiline;
    break_string(0, text_.size());
  }
  out_.unclosed = openers_;
  push(TokenKind::Eof, text_.size(), text_.size());
  out_.tokens.back().flags |= Token::kNewlineBefore;
}

}  // namespace

TokenList lex(const SourcePtr& source, diag::Sink& sink) { return Lexer(source, sink).run(); }

}  // namespace harn::syntax
