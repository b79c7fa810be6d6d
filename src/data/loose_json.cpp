#include "data/loose_json.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "data/json.h"
#include "data/number_text.h"
#include "vm/dict.h"
#include "vm/objects.h"

namespace harn::data {

using vm::Value;

namespace {

// Kinds of repairs, as programs are told.
constexpr std::string_view kBadEscape = "bad_escape";
constexpr std::string_view kComment = "comment";
constexpr std::string_view kDuplicateKey = "duplicate_key";
constexpr std::string_view kFence = "code_fence";
constexpr std::string_view kLiteralCase = "literal_case";
constexpr std::string_view kMismatched = "mismatched_bracket";
constexpr std::string_view kMissingColon = "missing_colon";
constexpr std::string_view kMissingComma = "missing_comma";
constexpr std::string_view kMissingValue = "missing_value";
constexpr std::string_view kNumberForm = "number_form";
constexpr std::string_view kOtherQuotes = "other_quotes";
constexpr std::string_view kRawNewline = "raw_newline";
constexpr std::string_view kSurrounding = "surrounding_text";
constexpr std::string_view kThinking = "thinking";
constexpr std::string_view kTrailingComma = "trailing_comma";
constexpr std::string_view kTruncated = "truncated";
constexpr std::string_view kUnescapedQuote = "unescaped_quote";
constexpr std::string_view kUnquotedKey = "unquoted_key";
constexpr std::string_view kUnquotedText = "unquoted_text";

constexpr size_t kMostRepairs = 100;
// How far behind a quote is looked to tell whether it is the end: what is decided stays decided, and the time is linear.
constexpr size_t kLookAhead = 96;
constexpr size_t kLongestKey = 256;  // without quotes

struct Quotes {
  std::string_view opening;
  std::string_view closing;
};
// Longer ones first.
constexpr Quotes kQuotes[] = {{"\"\"\"", "\"\"\""}, {"'''", "'''"}, {"\"", "\""}, {"'", "'"},
                              {"`", "`"},           {"“", "”"},     {"‘", "’"}};

struct Tag {
  std::string_view opening;
  std::string_view closing;
};
constexpr Tag kThinkingTags[] = {{"<think>", "</think>"},
                                 {"<thinking>", "</thinking>"},
                                 {"<reasoning>", "</reasoning>"},
                                 {"<scratchpad>", "</scratchpad>"}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool may_begin(std::string_view rest, std::string_view word) {
  return rest.size() < word.size() && word.starts_with(rest);
}

}  // namespace

// ---- in and out ----

void LooseReader::repair(std::string_view kind, size_t offset) {
  if (repairs_.size() < kMostRepairs) repairs_.push_back({kind, offset});
}

void LooseReader::add(std::string_view piece) {
  if (is_finished_) return;
  text_ += piece;
  while (step()) {}
}

void LooseReader::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  while (step()) {}
  if (state_ == State::Done || frames_.empty()) return;
  if (!is_confirmed_) return abandon();
  at_ = text_.size();
  if (state_ == State::InText || state_ == State::InHeredoc) end_text(false);
  close_all();
}

void LooseReader::close_all() {
  repair(kTruncated);
  while (!frames_.empty()) {
    frames_.back().has_comma = false;
    close(frames_.back().is_object);
  }
}

// A fence inside the value: the model has stopped in the middle.
LooseReader::Decision LooseReader::is_at_fence() const {
  std::string_view rest = std::string_view(text_).substr(at_);
  if (!is_finished_ && may_begin(rest, "```")) return Decision::NeedMore;
  return rest.starts_with("```") ? Decision::Yes : Decision::No;
}

// With spaces and comments skipped: whether there is something to read. False: wait, or the value has ended.
bool LooseReader::is_ready() {
  if (!skip_space() || is_at_end(at_)) return false;
  Decision fence = is_at_fence();
  if (fence == Decision::Yes && is_confirmed_) close_all();
  else if (fence == Decision::Yes) abandon();
  return fence == Decision::No;
}

// One transition; false when it has to wait for more text.
bool LooseReader::step() {
  switch (state_) {
    case State::Outside: return look_outside();
    case State::Thinking: return skip_thinking();
    case State::Key: return read_key();
    case State::InKey: return read_text(true);
    case State::Colon: return read_colon();
    case State::Value: return begin_value();
    case State::InText: return read_text(false);
    case State::InWord: return read_word();
    case State::InHeredoc: return read_heredoc();
    case State::AfterValue: return after_value();
    case State::Done: return false;
  }
  return false;
}

// The bytes of a character that is not whole yet are not shown.
static std::string_view without_half_character(std::string_view text) {
  size_t back = 0;
  while (back < 4 && back < text.size() && (static_cast<unsigned char>(text[text.size() - 1 - back]) & 0xC0) == 0x80)
    ++back;
  if (back == text.size()) return text;
  auto lead = static_cast<unsigned char>(text[text.size() - 1 - back]);
  size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return back < wanted ? text.substr(0, text.size() - 1 - back) : text;
}

// Of a key that comes twice the first value counts: it may have been shown.
bool LooseReader::put(const Frame& frame, Value& container, Value value) {
  if (!frame.is_object) {
    vm::writable_list(container)->push(std::move(value));
    return true;
  }
  if (container.as_dict()->find(frame.key)) return false;
  vm::dict_set(container, frame.key, std::move(value));
  return true;
}

std::optional<Value> LooseReader::value() const {
  if (whole_) return whole_;
  if (frames_.empty() || !is_confirmed_) return std::nullopt;
  std::optional<Value> inner;
  if (state_ == State::InText || state_ == State::InHeredoc)
    inner = vm::text_value(text::to_valid_utf8(without_half_character(content_)));
  for (size_t i = frames_.size(); i-- > 0;) {
    Value container = frames_[i].container;
    if (inner) put(frames_[i], container, *std::move(inner));
    inner = std::move(container);
  }
  return inner;
}

// ---- around the value ----

bool LooseReader::look_outside() {
  size_t found = std::min(text_.find_first_of("{[`<", at_), text_.size());
  has_prose_ |= !text::trim(std::string_view(text_).substr(at_, found - at_)).empty();
  at_ = found;
  if (is_at_end(at_)) return false;
  std::string_view rest = std::string_view(text_).substr(at_);
  if (rest[0] == '<') {
    for (const Tag& tag : kThinkingTags) {
      if (!is_finished_ && may_begin(rest, tag.opening)) return false;
      if (!rest.starts_with(tag.opening)) continue;
      repair(kThinking);
      thinking_end_ = tag.closing;
      at_ += tag.opening.size();
      state_ = State::Thinking;
      return true;
    }
    ++at_;
    return true;
  }
  if (rest[0] == '`') {
    if (!is_finished_ && may_begin(rest, "```")) return false;
    if (rest.starts_with("```")) return read_fence();
    ++at_;
    return true;
  }
  return begin_candidate(rest[0]);
}

// With the language behind it.
bool LooseReader::read_fence() {
  size_t end = at_ + 3;
  size_t limit = std::min(text_.size(), end + kLookAhead);
  while (!is_fenced_ && end < limit && is_name(text_[end])) ++end;
  if (is_at_end(end) && !is_finished_ && end < limit + 1 && !is_fenced_ && end - at_ < kLookAhead) return false;
  is_fenced_ = !is_fenced_;
  at_ = end;
  return true;
}

bool LooseReader::skip_thinking() {
  size_t end = text_.find(thinking_end_, at_);
  if (end == std::string::npos) {
    // The tag may be half here.
    size_t kept = thinking_end_.size() - 1;
    at_ = std::max(at_, text_.size() > kept ? text_.size() - kept : 0);
    return false;
  }
  at_ = end + thinking_end_.size();
  state_ = State::Outside;
  return true;
}

// A list is only what is wanted instead of an object if objects are in it.
bool LooseReader::begin_candidate(char bracket) {
  if (bracket == '[' && wanted_ == Wanted::Object) {
    bool has_newline = false;
    size_t next = behind_spaces(at_ + 1, has_newline);
    if (is_at_end(next) && !is_finished_ && next - at_ < kLookAhead) return false;
    if (is_at_end(next) || text_[next] != '{') {
      ++at_;
      return true;
    }
  }
  start_ = at_;
  if (is_fenced_) repair(kFence);
  if (has_prose_) repair(kSurrounding);
  open(bracket == '{');
  ++at_;
  return true;
}

// It was a bracket of the prose.
void LooseReader::abandon() {
  frames_.clear();
  std::erase_if(repairs_, [&](const Repair& one) { return one.offset >= start_; });
  has_prose_ = true;
  state_ = State::Outside;
}

void LooseReader::open(bool is_object) {
  if (frames_.size() >= kMaxJsonDepth) {
    is_too_deep_ = true;
    frames_.clear();
    state_ = State::Done;
    return;
  }
  frames_.push_back({.is_object = is_object, .container = is_object ? Value(vm::new_dict()) : Value(vm::new_list())});
  state_ = is_object ? State::Key : State::Value;
}

// Brackets inside the one that ends were forgotten. One that nothing is open for says nothing.
void LooseReader::close(bool is_object) {
  auto fits = [&](const Frame& frame) { return frame.is_object == is_object; };
  if (std::none_of(frames_.begin(), frames_.end(), fits)) return repair(kMismatched);
  while (frames_.back().is_object != is_object) {
    repair(kMismatched);
    Value inner = std::move(frames_.back().container);
    frames_.pop_back();
    add_value(std::move(inner));
  }
  if (frames_.back().has_comma) repair(kTrailingComma);
  Value value = std::move(frames_.back().container);
  frames_.pop_back();
  is_confirmed_ = true;
  if (!frames_.empty()) return add_value(std::move(value));
  whole_ = std::move(value);
  end_ = std::min(at_ + 1, text_.size());
  state_ = State::Done;
}

void LooseReader::add_value(Value value) {
  Frame& frame = frames_.back();
  if (!put(frame, frame.container, std::move(value))) repair(kDuplicateKey);
  frame.has_comma = false;
  state_ = State::AfterValue;
}

// ---- spaces ----

bool LooseReader::skip_space() {
  for (;;) {
    while (!is_at_end(at_) && is_space(text_[at_])) ++at_;
    if (is_at_end(at_)) return is_finished_;
    std::string_view rest = std::string_view(text_).substr(at_);
    if (!is_finished_ && rest == "/") return false;
    bool is_line = rest.starts_with("//") || rest[0] == '#';
    bool is_block = rest.starts_with("/*");
    if (!is_line && !is_block) return true;
    size_t end = is_line ? find("\n", at_) : find("*/", at_ + 2);
    if (end == std::string::npos && !is_finished_) return false;
    repair(kComment);
    at_ = end == std::string::npos ? text_.size() : end + (is_line ? 1 : 2);
  }
}

// From there on, or from where the last search has ended: pieces are not searched twice.
size_t LooseReader::find(std::string_view what, size_t from) {
  size_t found = text_.find(what, std::max(from, searched_));
  searched_ = found != std::string::npos ? 0 : text_.size() - std::min(text_.size(), what.size() - 1);
  return found;
}

size_t LooseReader::behind_spaces(size_t at, bool& has_newline) const {
  size_t limit = std::min(text_.size(), at + kLookAhead);
  for (; at < limit && is_space(text_[at]); ++at) has_newline |= text_[at] == '\n';
  return at;
}

// ---- members ----

bool LooseReader::read_key() {
  if (!is_ready()) return is_over();
  char c = text_[at_];
  Frame& frame = frames_.back();
  if (c == ',') {
    if (frame.has_comma || frame.container.as_dict()->size() == 0) repair(kTrailingComma);
    frame.has_comma = true;
    ++at_;
    return true;
  }
  if (c == '}' || c == ']') {
    close(c == '}');
    ++at_;
    return true;
  }
  if (Decision begun = begin_text(true); begun != Decision::No) return begun == Decision::Yes;
  if (is_name(c)) return read_bare_key();
  if (!is_confirmed_) {
    abandon();
    return true;
  }
  repair(kMismatched);
  ++at_;
  return true;
}

bool LooseReader::read_bare_key() {
  size_t end = at_, limit = std::min(text_.size(), at_ + kLongestKey);
  while (end < limit && is_name(text_[end])) ++end;
  if (end == at_ + kLongestKey) {
    if (!is_confirmed_) return abandon(), true;
    repair(kMismatched);
    at_ = end;
    return true;
  }
  if (is_at_end(end)) {
    if (is_finished_) at_ = end;
    return false;
  }
  frames_.back().key = text::to_valid_utf8(std::string_view(text_).substr(at_, end - at_));
  repair(kUnquotedKey);
  at_ = end;
  state_ = State::Colon;
  return true;
}

bool LooseReader::read_colon() {
  if (!is_ready()) return is_over();
  char c = text_[at_];
  if (c == '=' && at_ + 1 == text_.size() && !is_finished_) return false;
  if (c == ':' || c == '=') {
    if (c == '=') repair(kMissingColon);
    at_ += has(at_, "=>") ? 2 : 1;
    is_confirmed_ = true;
    state_ = State::Value;
    return true;
  }
  if (!is_confirmed_) {
    abandon();
    return true;
  }
  repair(c == ',' || c == '}' || c == ']' ? kMissingValue : kMissingColon);
  state_ = c == ',' || c == '}' || c == ']' ? State::Key : State::Value;
  return true;
}

bool LooseReader::after_value() {
  if (!is_ready()) return is_over();
  char c = text_[at_];
  Frame& frame = frames_.back();
  if (c == '}' || c == ']') {
    close(c == '}');
    ++at_;
    return true;
  }
  bool begins_item = c == '"' || c == '\'' || c == '{' || c == '[';
  if (c == ',') {
    frame.has_comma = true;
    ++at_;
  } else if (is_confirmed_ || begins_item) {
    repair(kMissingComma);
  } else {
    abandon();
    return true;
  }
  is_confirmed_ = true;  // the second item shows that it is a list
  state_ = frames_.back().is_object ? State::Key : State::Value;
  return true;
}

// ---- values ----

bool LooseReader::begin_value() {
  if (!is_ready()) return is_over();
  char c = text_[at_];
  Frame& frame = frames_.back();
  if (c == '{' || c == '[') {
    open(c == '{');
    ++at_;
    return true;
  }
  if (c == '}' || c == ']') {
    if (frame.is_object) {
      repair(kMissingValue);
      add_value(Value());
    } else {
      close(c == '}');
      ++at_;
    }
    return true;
  }
  if (c == ',') {
    repair(frame.is_object ? kMissingValue : kTrailingComma);
    if (frame.is_object) add_value(Value());
    else ++at_;
    return true;
  }
  if (c == '<') {
    std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.size() < 2 && !is_finished_) return false;
    if (rest.starts_with("<<")) return begin_heredoc();
  }
  if (Decision begun = begin_text(false); begun != Decision::No) return begun == Decision::Yes;
  token_ = at_;
  state_ = State::InWord;
  return true;
}

// Whether quotes begin here.
LooseReader::Decision LooseReader::begin_text(bool is_key) {
  std::string_view rest = std::string_view(text_).substr(at_);
  for (const Quotes& quotes : kQuotes) {
    if (!is_finished_ && may_begin(rest, quotes.opening)) return Decision::NeedMore;
    if (!rest.starts_with(quotes.opening)) continue;
    if (quotes.opening != "\"") repair(kOtherQuotes);
    closing_ = quotes.closing;
    at_ += quotes.opening.size();
    content_.clear();
    state_ = is_key ? State::InKey : State::InText;
    return Decision::Yes;
  }
  return Decision::No;
}

void LooseReader::end_text(bool is_key) {
  std::string text = text::to_valid_utf8(content_);
  content_.clear();
  if (is_key) {
    frames_.back().key = std::move(text);
    state_ = State::Colon;
  } else {
    add_value(vm::text_value(text));
  }
}

bool LooseReader::read_text(bool is_key) {
  while (!is_at_end(at_)) {
    char c = text_[at_];
    if (c == '\\') {
      if (!read_escape()) return false;
      continue;
    }
    if (c == closing_[0]) {
      std::string_view rest = std::string_view(text_).substr(at_);
      if (!is_finished_ && may_begin(rest, closing_)) return false;
      if (rest.starts_with(closing_)) {
        Decision ends = closing_.size() == 3 ? Decision::Yes : ends_text(at_ + closing_.size(), is_key);
        if (ends == Decision::NeedMore) return false;
        if (ends == Decision::Yes) {
          at_ += closing_.size();
          end_text(is_key);
          return true;
        }
        repair(kUnescapedQuote);
      }
    }
    if (c == '\n' && closing_.size() == 1) {
      // A key has no second line: it was a quote of the prose.
      if (is_key && !is_confirmed_) return abandon(), true;
      repair(kRawNewline);
    }
    size_t end = at_ + 1;
    while (!is_at_end(end) && text_[end] != '\\' && text_[end] != '\n' && text_[end] != closing_[0]) ++end;
    content_.append(text_, at_, end - at_);
    at_ = end;
  }
  return false;
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four digits, or -1.
static int code_unit(std::string_view digits) {
  if (digits.size() < 4) return -1;
  int unit = 0;
  for (size_t i = 0; i < 4; ++i) {
    int digit = hex_digit(digits[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

// At a backslash; false: the rest of it is yet to come.
bool LooseReader::read_escape() {
  std::string_view rest = std::string_view(text_).substr(at_);
  if (rest.size() < 2) {
    if (is_finished_) ++at_;
    return is_finished_;
  }
  constexpr std::string_view kNames = "\"\\/bfnrt'`", kMeanings = "\"\\/\b\f\n\r\t'`";
  if (size_t place = kNames.find(rest[1]); place != std::string_view::npos) {
    content_ += kMeanings[place];
    at_ += 2;
    return true;
  }
  if (rest[1] != 'u') {
    repair(kBadEscape);
    content_ += '\\';
    ++at_;
    return true;
  }
  if (rest.size() < 6 && !is_finished_) return false;
  int unit = code_unit(rest.substr(2));
  bool is_high = unit >= 0xD800 && unit < 0xDC00;
  if (is_high && rest.size() < 12 && !is_finished_) return false;
  int low = is_high && rest.substr(6).starts_with("\\u") ? code_unit(rest.substr(8)) : -1;
  if (unit < 0) {
    repair(kBadEscape);
    content_ += '\\';
    ++at_;
    return true;
  }
  if (low >= 0xDC00 && low < 0xE000) {
    text::append_utf8(content_, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    at_ += 12;
    return true;
  }
  bool is_half = unit >= 0xD800 && unit < 0xE000;
  if (is_half) repair(kBadEscape);
  text::append_utf8(content_, is_half ? 0xFFFD : static_cast<char32_t>(unit));
  at_ += 6;
  return true;
}

// ---- where a text ends ----

// Whether a key and a colon stand here.
LooseReader::Decision LooseReader::begins_member(size_t at) const {
  size_t limit = std::min(text_.size(), at + kLookAhead);
  while (at < limit && is_name(text_[at])) ++at;
  bool has_newline = false;
  size_t next = behind_spaces(at, has_newline);
  if (is_at_end(next)) return is_finished_ ? Decision::No : Decision::NeedMore;
  return text_[next] == ':' || text_[next] == '=' ? Decision::Yes : Decision::No;
}

// A quote ends a text if what follows could follow it; others are part of it.
LooseReader::Decision LooseReader::ends_text(size_t after, bool is_key) const {
  bool has_newline = false;
  size_t next = behind_spaces(after, has_newline);
  if (is_at_end(next)) return next - after >= kLookAhead ? Decision::Yes : at_end();
  char c = text_[next];
  if (is_key) {
    bool ends = c == ':' || c == '=' || c == ',' || c == '}' || c == '"' || c == '\'' || has_newline;
    return ends ? Decision::Yes : Decision::No;
  }
  if (c == '}' || c == ']' || c == ')') return Decision::Yes;
  for (std::string_view word : {"```", "//", "/*"}) {
    if (has(next, word)) return Decision::Yes;
    if (!is_finished_ && may_begin(std::string_view(text_).substr(next), word)) return Decision::NeedMore;
  }
  bool is_object = frames_.back().is_object;
  bool is_quote = c == '"' || c == '\'';
  if (c != ',') {
    if (!has_newline) return Decision::No;
    if (is_quote) return Decision::Yes;
    return is_object && is_name(c) ? begins_member(next) : Decision::No;
  }
  size_t behind = behind_spaces(next + 1, has_newline);
  if (is_at_end(behind)) return behind - next > kLookAhead ? Decision::Yes : at_end();
  char d = text_[behind];
  if (d == '"' || d == '\'' || d == '}' || d == ']' || d == '/' || d == '#') return Decision::Yes;
  if (is_object) return is_name(d) ? begins_member(behind) : Decision::No;
  if (d == '{' || d == '[' || d == '-' || is_digit(d) || has_newline) return Decision::Yes;
  for (std::string_view word : {"true", "false", "null", "True", "False", "None"}) {
    if (has(behind, word)) return Decision::Yes;
    if (!is_finished_ && may_begin(std::string_view(text_).substr(behind), word)) return Decision::NeedMore;
  }
  return Decision::No;
}

// ---- words and numbers ----

// To the end of the line, or what ends a value.
bool LooseReader::read_word() {
  for (; !is_at_end(at_); ++at_) {
    char c = text_[at_];
    if (c == ',' || c == '}' || c == ']' || c == '\n') break;
    if (c != '/' || at_ == token_ || !is_space(text_[at_ - 1])) continue;
    if (at_ + 1 == text_.size() && !is_finished_) return false;
    if (has(at_, "//") || has(at_, "/*")) break;
  }
  if (is_at_end(at_) && !is_finished_) return false;
  std::string_view word = text::trim(std::string_view(text_).substr(token_, at_ - token_));
  // A number or a text at the very end may be half of one.
  bool is_literal = word == "true" || word == "false" || word == "null";
  if (is_at_end(at_) && !is_literal) {
    frames_.back().has_comma = false;
    return false;
  }
  Value value = value_of_word(word);
  // [a link](of the prose)
  if (!is_confirmed_ && value.is(vm::Kind::String)) return abandon(), true;
  add_value(std::move(value));
  return true;
}

Value LooseReader::value_of_word(std::string_view word) {
  struct Literal {
    std::string_view name;
    Value value;
  };
  const Literal literals[] = {{"true", Value::boolean(true)}, {"false", Value::boolean(false)}, {"null", Value()}};
  for (const Literal& literal : literals) {
    if (word == literal.name) return literal.value;
  }
  std::string lower = text::ascii_lower(word);
  const Literal others[] = {{"true", Value::boolean(true)},
                            {"false", Value::boolean(false)},
                            {"null", Value()},
                            {"none", Value()},
                            {"undefined", Value()},
                            {"nil", Value()},
                            {"nan", Value()},
                            {"infinity", Value()},
                            {"-infinity", Value()}};
  for (const Literal& literal : others) {
    if (lower != literal.name) continue;
    repair(kLiteralCase, token_);
    return literal.value;
  }
  bool is_plain = !word.empty() && (is_digit(word.back()) && (is_digit(word[0]) || word[0] == '-'));
  std::string digits(word.starts_with('+') ? word.substr(1) : word);
  if (digits.ends_with('.')) digits.pop_back();
  if (digits.starts_with('.')) digits.insert(0, 1, '0');
  if (digits.starts_with("-.")) digits.insert(1, 1, '0');
  bool is_number =
      !digits.empty() && (is_digit(digits[0]) || (digits[0] == '-' && digits.size() > 1 && is_digit(digits[1])));
  if (is_number) {
    if (!is_plain || digits != word) repair(kNumberForm, token_);
    if (auto whole = parse_int(digits)) return Value::integer(*whole);
    if (auto number = parse_float(digits)) return Value::number(*number);
    if (!is_plain || digits != word) repairs_.pop_back();
  }
  repair(kUnquotedText, token_);
  return vm::text_value(text::to_valid_utf8(word));
}

// ---- heredocs ----

// <<TAG, lines, TAG.
bool LooseReader::begin_heredoc() {
  size_t line = find("\n", at_);
  if (line == std::string::npos) {
    if (!is_finished_) return false;
    token_ = at_;
    state_ = State::InWord;
    return true;
  }
  tag_ = text::trim(std::string_view(text_).substr(at_ + 2, line - at_ - 2));
  if (tag_.empty() || !std::all_of(tag_.begin(), tag_.end(), is_name)) {
    token_ = at_;
    state_ = State::InWord;
    return true;
  }
  content_.clear();
  token_ = 0;  // lines so far
  at_ = line + 1;
  state_ = State::InHeredoc;
  return true;
}

// A line at a time: whether it is the tag is known at its end.
bool LooseReader::read_heredoc() {
  size_t end = at_;
  while (!is_at_end(end) && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  std::string_view rest = std::string_view(text_).substr(end);
  if (!is_finished_ && (rest.empty() || may_begin(rest, tag_) || rest == tag_)) return false;
  if (rest.starts_with(tag_) && (rest.size() == tag_.size() || !is_name(rest[tag_.size()]))) {
    at_ = end + tag_.size();
    end_text(false);
    return true;
  }
  size_t line = find("\n", at_);
  if (line == std::string::npos) {
    if (!is_finished_) return false;
    line = text_.size();
  }
  // The end of the last line is none of the text.
  if (token_++ > 0) content_ += '\n';
  content_ += std::string_view(text_).substr(at_, line - at_);
  at_ = std::min(line + 1, text_.size());
  return !is_at_end(at_);
}

// ---- whole texts ----

LooseValue read_loose(std::string_view text, LooseReader::Wanted wanted) {
  LooseValue best;
  std::string_view trimmed = text::trim(text);
  if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
    if (auto strict = parse_json(trimmed)) {
      best.value = *std::move(strict);
      return best;
    }
  }
  size_t best_size = 0;
  bool best_is_fenced = false;
  bool is_fenced = false;
  for (size_t from = 0; from < text.size();) {
    LooseReader reader(wanted);
    // What is behind the value is not read twice.
    for (size_t at = from, size = 64; at < text.size() && !reader.is_whole(); at += size, size *= 2)
      reader.add(text.substr(at, size));
    reader.finish();
    best.is_too_deep |= reader.is_too_deep();
    auto value = reader.value();
    if (!value) break;
    bool fenced = reader.is_fenced() != is_fenced;
    size_t size = reader.end() - reader.start();
    if (!best.value || (fenced && !best_is_fenced) || (fenced == best_is_fenced && size > best_size)) {
      best.value = std::move(value);
      best.repairs = reader.repairs();
      for (Repair& one : best.repairs) one.offset += from;
      best_size = size;
      best_is_fenced = fenced;
    }
    is_fenced = fenced;
    from += std::max<size_t>(reader.end(), 1);
  }
  return best;
}

}  // namespace harn::data
