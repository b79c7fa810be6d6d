#include "log/event_lines.h"

#include <charconv>

#include "base/codecs.h"
#include "base/fmt.h"
#include "base/text.h"

namespace harn::log {

namespace {

// ---- writing ----

void add_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else out += c;
  }
}

void add_text(std::string& out, std::string_view name, std::string_view bytes) {
  bool is_text = text::is_valid_utf8(bytes);
  out += fmt::format(",\"{}{}\":\"", name, is_text ? "" : "_base64");
  if (is_text) add_escaped(out, bytes);
  else out += codecs::to_base64(bytes);
  out += '"';
}

std::string keeping(uint64_t first, const Retention& retention) {
  return fmt::format("\"first\":{},\"max_age_ms\":{},\"max_count\":{},\"max_bytes\":{}}}\n", first,
                     retention.max_age_ms, retention.max_count, retention.max_bytes);
}

// ---- reading ----

class LineReader {
 public:
  explicit LineReader(std::string_view rest) : rest_(rest) {}

  bool is_good() const { return is_good_; }
  bool is_at_end() const { return is_good_ && rest_.empty(); }
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void expect(std::string_view expected) { is_good_ = is_good_ && take(expected); }

  template <class Number>
  Number number(std::string_view before) {
    expect(before);
    Number value = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    is_good_ = is_good_ && error == std::errc();
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  std::string text(std::string_view name) {
    expect(",\"");
    expect(name);
    bool is_encoded = take("_base64");
    expect("\":\"");
    std::string value = unescaped();
    if (!is_good_ || !is_encoded) return value;
    auto decoded = codecs::from_base64(value);
    is_good_ = decoded.has_value();
    return std::move(decoded).value_or("");
  }

  std::string unescaped() {
    std::string value;
    for (;;) {
      size_t end = rest_.find_first_of("\"\\");
      is_good_ = is_good_ && end != rest_.npos;
      if (!is_good_) return value;
      value += rest_.substr(0, end);
      bool is_over = rest_[end] == '"';
      rest_.remove_prefix(end + 1);
      if (is_over) return value;
      value += escaped();
    }
  }

  Retention retention() {
    Retention out;
    out.max_age_ms = number<int64_t>(",\"max_age_ms\":");
    out.max_count = number<uint64_t>(",\"max_count\":");
    out.max_bytes = number<uint64_t>(",\"max_bytes\":");
    return out;
  }

 private:
  char escaped() {
    if (take("n")) return '\n';
    if (take("\"")) return '"';
    if (take("\\")) return '\\';
    expect("u00");
    unsigned code = 0;
    is_good_ = is_good_ && rest_.size() >= 2 &&
               std::from_chars(rest_.data(), rest_.data() + 2, code, 16).ptr == rest_.data() + 2;
    if (is_good_) rest_.remove_prefix(2);
    return static_cast<char>(code);
  }

  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace

std::string head_line(const std::string& topic, uint64_t first, const Retention& retention) {
  std::string out = fmt::format("{{\"log\":{}", kLinesVersion);
  add_text(out, "topic", topic);
  return out + "," + keeping(first, retention);
}

std::string keeping_line(uint64_t first, const Retention& retention) { return "{" + keeping(first, retention); }

std::string event_line(const Event& event) {
  std::string out = fmt::format("{{\"id\":{},\"at_ms\":{}", event.id, event.at_ms);
  add_text(out, "kind", event.kind);
  add_text(out, "payload", event.payload);
  add_text(out, "headers", event.headers);
  add_text(out, "key", event.key);
  return out + "}\n";
}

std::optional<Line> parse_line(std::string_view text) {
  LineReader reader(text);
  Line line;
  if (reader.take("{\"id\":")) {
    line.event.id = reader.number<uint64_t>("");
    line.event.at_ms = reader.number<int64_t>(",\"at_ms\":");
    line.event.kind = reader.text("kind");
    line.event.payload = reader.text("payload");
    line.event.headers = reader.text("headers");
    line.event.key = reader.text("key");
  } else if (reader.take("{\"log\":")) {
    line.what = Line::What::Head;
    line.version = reader.number<uint64_t>("");
    if (line.version != kLinesVersion) return reader.is_good() ? std::optional(line) : std::nullopt;
    line.topic = reader.text("topic");
    line.first = reader.number<uint64_t>(",\"first\":");
    line.retention = reader.retention();
  } else {
    line.what = Line::What::Keeping;
    line.first = reader.number<uint64_t>("{\"first\":");
    line.retention = reader.retention();
  }
  reader.expect("}");
  return reader.is_at_end() ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace harn::log
