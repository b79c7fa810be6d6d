#include "data/json.h"

#include <algorithm>
#include <cstring>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "data/json_objects.h"
#include "data/number_text.h"
#include "vm/objects.h"
#include "vm/long_text.h"
#include "vm/pace.h"

namespace harn::data {

using namespace vm;

namespace {

// An int when it is a whole number that fits 64 bits, else a float.
Value number_of(std::string_view digits) {
  if (digits.find_first_of(".eE") == std::string_view::npos) {
    if (auto whole = parse_int(digits)) return Value::integer(*whole);
  }
  return Value::number(*parse_float(digits));
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Parsed<Value> read() {
    Value value;
    skip_space();
    if (!read_value(value, 0)) return std::unexpected(std::move(error_));
    skip_space();
    if (at_ < text_.size()) {
      fail("unexpected characters after the value");
      return std::unexpected(std::move(error_));
    }
    return value;
  }

 private:
  bool fail(std::string detail) {
    std::string_view before = text_.substr(0, at_);
    size_t line_start = before.rfind('\n');
    line_start = line_start == std::string_view::npos ? 0 : line_start + 1;
    error_.detail = std::move(detail);
    error_.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    error_.column = 1 + text::count_chars(before.substr(line_start));
    return false;
  }

  bool unexpected(std::string_view wanted) {
    if (at_ >= text_.size()) return fail(harn::format("unexpected end of input, expected {}", wanted));
    auto c = static_cast<uint8_t>(text_[at_]);
    if (c < 0x20 || c == 0x7F) return fail(harn::format("unexpected character U+{:04X}, expected {}", c, wanted));
    size_t size = text::char_size(text_, at_);
    if (size == 1 && c >= 0x80) return fail("invalid UTF-8");
    return fail(harn::format("unexpected character '{}', expected {}", text_.substr(at_, size), wanted));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool read_value(Value& value, size_t depth) {
    if (at_ >= text_.size()) return unexpected("a value");
    switch (text_[at_]) {
      case '{': return read_object(value, depth + 1);
      case '[': return read_array(value, depth + 1);
      case '"': {
        std::string_view content;
        if (!read_string(content)) return false;
        value = text_value(content);
        return true;
      }
      case 't': value.set_bool(true); return read_word("true");
      case 'f': value.set_bool(false); return read_word("false");
      case 'n': value.set_nil(); return read_word("null");
      default: return read_number(value);
    }
  }

  bool read_word(std::string_view word) {
    for (char c : word) {
      if (!take(c)) return unexpected(harn::format("`{}`", word));
    }
    return true;
  }

  bool read_digits() {
    if (at_ >= text_.size() || !text::is_digit(text_[at_])) return unexpected("a digit");
    while (at_ < text_.size() && text::is_digit(text_[at_])) ++at_;
    return true;
  }

  bool read_number(Value& value) {
    size_t start = at_;
    bool negative = take('-');
    if (!negative && (at_ >= text_.size() || !text::is_digit(text_[at_]))) return unexpected("a value");
    if (take('0')) {
      if (at_ < text_.size() && text::is_digit(text_[at_])) return fail("a number must not start with 0");
    } else if (!read_digits()) {
      return false;
    }
    bool is_whole = true;
    if (take('.')) {
      is_whole = false;
      if (!read_digits()) return false;
    }
    if (take('e') || take('E')) {
      is_whole = false;
      if (!take('+')) take('-');
      if (!read_digits()) return false;
    }
    std::string_view digits = text_.substr(start, at_ - start);
    value = is_whole && digits.size() <= 18 ? short_integer(digits) : number_of(digits);
    return true;
  }

  // Of so few digits that it fits.
  static Value short_integer(std::string_view digits) {
    bool negative = digits[0] == '-';
    int64_t number = 0;
    for (char c : digits.substr(negative)) number = number * 10 + (c - '0');
    return Value::integer(negative ? -number : number);
  }

  bool read_hex(uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      char c = at_ < text_.size() ? text_[at_] : 0;
      uint32_t digit;
      if (c >= '0' && c <= '9') digit = static_cast<uint32_t>(c - '0');
      else if (c >= 'a' && c <= 'f') digit = static_cast<uint32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F') digit = static_cast<uint32_t>(c - 'A' + 10);
      else return unexpected("a hex digit");
      unit = unit * 16 + digit;
    }
    return true;
  }

  // After `\u`. Two escapes may form one character.
  bool read_unicode_escape(std::string& out) {
    uint32_t unit;
    if (!read_hex(unit)) return false;
    if (unit >= 0xDC00 && unit < 0xE000) return fail("unpaired surrogate in a string");
    if (unit >= 0xD800 && unit < 0xDC00) {
      uint32_t low;
      if (!take('\\') || !take('u')) return fail("unpaired surrogate in a string");
      if (!read_hex(low)) return false;
      if (low < 0xDC00 || low >= 0xE000) return fail("unpaired surrogate in a string");
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    text::append_utf8(out, unit);
    return true;
  }

  bool read_escape(std::string& out) {
    if (at_ >= text_.size()) return unexpected("an escape");
    switch (text_[at_++]) {
      case '"': out += '"'; return true;
      case '\\': out += '\\'; return true;
      case '/': out += '/'; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'n': out += '\n'; return true;
      case 'r': out += '\r'; return true;
      case 't': out += '\t'; return true;
      case 'u': return read_unicode_escape(out);
      default: --at_; return fail("invalid escape in a string");
    }
  }

  // ASCII that stands for itself inside a string.
  static bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

  // Moves past plain characters.
  void skip_plain() {
    for (;;) {
      size_t end = std::min(text_.size(), at_ + kTextPiece);
      skip_plain_before(end);
      if (at_ < end || end == text_.size()) return;
      step_bytes(kTextPiece);
    }
  }

  // Eight at a time while it can.
  void skip_plain_before(size_t end) {
    constexpr uint64_t kOnes = 0x0101010101010101ull;
    constexpr uint64_t kHighs = 0x8080808080808080ull;
    for (; at_ + 8 <= end; at_ += 8) {
      uint64_t block;
      memcpy(&block, text_.data() + at_, 8);
      auto zero_bytes = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
      uint64_t stops =
          block | (block - kOnes * 0x20) | zero_bytes(block ^ (kOnes * '"')) | zero_bytes(block ^ (kOnes * '\\'));
      if (stops & kHighs) break;
    }
    while (at_ < end && is_plain(text_[at_])) ++at_;
  }

  // The content is a part of the text when it stands there as it is, else of `decoded_`: valid until
  // the next string is read.
  bool read_string(std::string_view& content) {
    if (!take('"')) return unexpected("a string");
    size_t start = at_;
    skip_plain();
    if (at_ < text_.size() && text_[at_] == '"') {
      content = text_.substr(start, at_++ - start);
      return true;
    }
    decoded_.assign(text_, start, at_ - start);
    if (!read_rest_of_string(decoded_)) return false;
    content = decoded_;
    return true;
  }

  bool read_rest_of_string(std::string& out) {
    while (at_ < text_.size()) {
      size_t start = at_;
      skip_plain();
      out.append(text_, start, at_ - start);
      if (at_ == text_.size()) break;
      auto c = static_cast<uint8_t>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        ++at_;
        if (!read_escape(out)) return false;
      } else if (c < 0x20) {
        return fail("control character in a string; it must be escaped");
      } else {
        size_t size = text::char_size(text_, at_);
        if (c >= 0x80 && size == 1) return fail("invalid UTF-8");
        out.append(text_, at_, size);
        at_ += size;
      }
    }
    return fail("unterminated string");
  }

  bool read_array(Value& value, size_t depth) {
    if (depth > kMaxJsonDepth) return fail(harn::format("nested more than {} levels deep", kMaxJsonDepth));
    ++at_;
    auto list = new_list();
    skip_space();
    if (!take(']')) {
      do {
        step();
        skip_space();
        Value item;
        if (!read_value(item, depth)) return false;
        list->push(std::move(item));
        skip_space();
      } while (take(','));
      if (!take(']')) return unexpected("`,` or `]`");
    }
    value = std::move(list);
    return true;
  }

  bool read_object(Value& value, size_t depth) {
    if (depth > kMaxJsonDepth) return fail(harn::format("nested more than {} levels deep", kMaxJsonDepth));
    ++at_;
    auto open = objects_.begin(depth, 0);
    skip_space();
    if (!take('}')) {
      do {
        step();
        skip_space();
        std::string_view key;
        if (!read_string(key)) return false;
        objects_.add_key(open, key);
        skip_space();
        if (!take(':')) return unexpected("`:`");
        skip_space();
        Value item;
        if (!read_value(item, depth)) return false;
        objects_.add_value(std::move(item));
        skip_space();
      } while (take(','));
      if (!take('}')) return unexpected("`,` or `}`");
    }
    value = objects_.finish(open);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string decoded_;
  FormatError error_;
  ObjectBuilder objects_;
};

}  // namespace

Parsed<Value> parse_json(std::string_view text) { return JsonReader(text).read(); }

}  // namespace harn::data
