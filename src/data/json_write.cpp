#include <cmath>

#include "data/json.h"
#include "base/text.h"
#include "base/codecs.h"
#include "base/fmt.h"
#include "data/pieces.h"
#include "vm/dict.h"
#include "vm/long_text.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/print.h"

namespace harn::data {

using namespace vm;

namespace {

constexpr size_t kMaxDepth = 2000;

bool needs_escape(char c) { return static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\'; }

constexpr uint64_t kOnes = 0x0101010101010101ull;
constexpr uint64_t kHighs = 0x8080808080808080ull;

// Whether one of eight bytes needs an escape.
bool any_needs_escape(uint64_t block) {
  auto zero_bytes = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  uint64_t controls = (block - kOnes * 0x20) & ~block & kHighs;
  return (controls | zero_bytes(block ^ (kOnes * '"')) | zero_bytes(block ^ (kOnes * '\\'))) != 0;
}

uint64_t eight_bytes(const char* at) {
  uint64_t block;
  memcpy(&block, at, 8);
  return block;
}

// At most eight bytes; spaces stand for those that are not there.
uint64_t few_bytes(std::string_view text) {
  uint64_t block = kOnes * ' ';
  memcpy(&block, text.data(), text.size());
  return block;
}

// ASCII that is written as it is: most of what is written.
bool is_plain(std::string_view text) {
  auto is_odd = [](uint64_t block) { return (block & kHighs) != 0 || any_needs_escape(block); };
  for (; text.size() > 8; text.remove_prefix(8)) {
    if (is_odd(eight_bytes(text.data()))) return false;
  }
  return text.empty() || !is_odd(few_bytes(text));
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
      out += "0123456789abcdef"[c & 15];
  }
}

// Whole floats have no fraction here: 1.0 is written as 1.
void append_number(std::string& out, double number) {
  if (number == std::trunc(number) && std::abs(number) < 1e15) {
    if (number == 0 && std::signbit(number)) out += '-';
    return append_int(out, static_cast<int64_t>(number));
  }
  append_float(out, number);
}

class JsonWriter {
 public:
  // `rule`: null where everything is written as usual.
  JsonWriter(std::string& out, int indent, JsonRule* rule = nullptr) : out_(out), indent_(indent), rule_(rule) {}

  bool write(const Value& value, size_t depth) {
    if (!rule_) return write_usual(value, depth);
    switch (rule_->decide(out_, value, refusal_)) {
      case JsonRule::Verdict::Usual: return write_usual(value, depth);
      case JsonRule::Verdict::Written: return true;
      case JsonRule::Verdict::Refused: return false;
    }
    return false;
  }

  JsonRefusal refusal() && {
    if (!refusal_.why.empty()) return std::move(refusal_);
    return {"", "is too large or nested too deeply", ErrorKind::Limit};
  }

 private:
  bool write_usual(const Value& value, size_t depth) {
    switch (value.kind()) {
      case Kind::Bool: out_ += value.as_bool() ? "true" : "false"; return true;
      case Kind::Int: append_int(out_, value.as_int()); return true;
      case Kind::Float: append_number(out_, value.as_float()); return true;
      case Kind::String: append_json_string(out_, value.as_string()->view()); return true;
      case Kind::Bytes: write_bytes(value.as_bytes()->view()); return true;
      case Kind::List: return write_items(value.as_list()->values(), depth + 1);
      case Kind::Set: return write_items(set_items(value.as_set())->values(), depth + 1);
      case Kind::Range: return write_range(value.as_range(), depth + 1);
      case Kind::Dict:
      case Kind::Struct: return write_dict(value.as_dict(), depth + 1);
      default: out_ += "null"; return true;  // nil, and what JSON has no word for
    }
  }

  // What is written by a rule is meant to be read again.
  bool within_limits(size_t depth) const {
    return depth <= (rule_ ? kMaxJsonDepth : kMaxDepth) && out_.size() < kMaxStringSize;
  }

  void new_line(size_t depth) {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(depth * static_cast<size_t>(indent_), ' ');
  }

  void write_bytes(std::string_view octets) {
    out_ += indent_ ? R"({"$bytes_b64": ")" : R"({"$bytes_b64":")";
    in_pieces(octets, 3, [&](std::string_view piece) { out_ += codecs::to_base64(piece); });
    out_ += "\"}";
  }

  bool write_items(std::span<const Value> items, size_t depth) {
    if (!within_limits(depth)) return false;
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      step();
      if (i) out_ += ',';
      new_line(depth);
      if (!write(items[i], depth)) return refused_at(i);
    }
    if (!items.empty()) new_line(depth - 1);
    out_ += ']';
    return true;
  }

  bool write_range(const RangeObject* range, size_t depth) {
    out_ += '[';
    for (int64_t i = 0; i < range->size(); ++i) {
      step();
      if (!within_limits(depth)) return false;
      if (i != 0) out_ += ',';
      new_line(depth);
      append_int(out_, range->item(i));
    }
    if (range->size()) new_line(depth - 1);
    out_ += ']';
    return true;
  }

  bool write_dict(const DictObject* dict, size_t depth) {
    if (!within_limits(depth)) return false;
    out_ += '{';
    bool first = true;
    for (auto [key, value] : dict->entries()) {
      step();
      if (!first) out_ += ',';
      first = false;
      new_line(depth);
      append_json_string(out_, key->view());
      out_ += ':';
      if (indent_) out_ += ' ';
      if (!write(*value, depth)) return refused_at(key->view());
    }
    if (!first) new_line(depth - 1);
    out_ += '}';
    return true;
  }

  // On the way out: how the part around gets to the one that was refused. False.
  bool refused_at(size_t index) { return refused_in(fmt::format("[{}]", index)); }
  bool refused_at(std::string_view key) {
    std::string step;
    append_key_path(step, key);
    return refused_in(step);
  }
  bool refused_in(const std::string& step) {
    if (rule_) refusal_.path.insert(0, step);
    return false;
  }

  std::string& out_;
  int indent_;
  JsonRule* rule_;
  JsonRefusal refusal_;
};

}  // namespace

static void append_escaped(std::string& out, std::string_view text) {
  // JSON is UTF-8; arguments, input and file names may be anything.
  if (!text::is_valid_utf8(text)) [[unlikely]]
    return append_escaped(out, text::to_valid_utf8(text));
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const char* plain = at;
    while (end - at >= 8 && !any_needs_escape(eight_bytes(at))) at += 8;
    while (at < end && !needs_escape(*at)) ++at;
    out.append(plain, static_cast<size_t>(at - plain));
    if (at < end) append_escape(out, *at++);
  }
}

void append_json_content(std::string& out, std::string_view text) {
  constexpr size_t kShort = 256;
  if (text.size() <= kShort && is_plain(text)) {
    out += text;
    return;
  }
  // Growing again and again would copy a long text in one go each time.
  if (text.size() > kTextPiece) out.reserve(out.size() + text.size() + 2);
  while (!text.empty()) append_escaped(out, next_piece(text));
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_json_content(out, text);
  out += '"';
}

void append_key_path(std::string& path, std::string_view key) {
  if (text::is_identifier(key)) {
    path += '.';
    path += key;
  } else {
    path += '[';
    append_json_string(path, key);
    path += ']';
  }
}

std::expected<void, JsonRefusal> append_json(std::string& out, const Value& value, JsonRule& rule, int indent) {
  JsonWriter writer(out, indent, &rule);
  if (writer.write(value, 0) && out.size() <= kMaxStringSize) return {};
  return std::unexpected(std::move(writer).refusal());
}

Written append_json(std::string& out, const Value& value, int indent) {
  if (JsonWriter(out, indent).write(value, 0) && out.size() <= kMaxStringSize) return {};
  return format_error(ErrorKind::Limit, "the value is too large or nested too deeply");
}

}  // namespace harn::data
