#include "lsp/message.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "vm/dict.h"
#include "vm/objects.h"

namespace harn::lsp {

// ---- parts ----

Part Part::operator[](std::string_view key) const {
  if (!value_ || !value_->is_dict()) return Part();
  return Part(value_->as_dict()->find(key));
}

Part Part::operator[](size_t index) const {
  if (!value_ || !value_->is_list() || index >= value_->as_list()->size) return Part();
  return Part(&value_->as_list()->items[index]);
}

size_t Part::size() const { return value_ && value_->is_list() ? value_->as_list()->size : 0; }

std::string Part::text() const { return value_ && value_->is_string() ? std::string(value_->as_string()->view()) : ""; }

std::optional<int64_t> Part::number() const {
  return value_ && value_->is_int() ? std::optional(value_->as_int()) : std::nullopt;
}

bool Part::is_there() const { return value_ && !value_->is_nil(); }

std::string Part::json() const {
  std::string out;
  if (!value_ || !data::append_json(out, *value_)) return "null";
  return out;
}

// ---- the pipe ----

bool Pipe::has_message(std::string& body) {
  size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  size_t length = 0;
  for (std::string_view rest = std::string_view(buffer_).substr(0, end); !rest.empty();) {
    size_t line_end = rest.find("\r\n");
    std::string_view line = rest.substr(0, line_end);
    rest = line_end == std::string_view::npos ? std::string_view() : rest.substr(line_end + 2);
    constexpr std::string_view kLength = "content-length:";
    if (line.size() < kLength.size() || text::ascii_lower(line.substr(0, kLength.size())) != kLength) continue;
    line.remove_prefix(kLength.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::from_chars(line.data(), line.data() + line.size(), length);
  }
  if (buffer_.size() < end + 4 + length) return false;
  body = buffer_.substr(end + 4, length);
  buffer_.erase(0, end + 4 + length);
  return true;
}

Pipe::Got Pipe::read(std::string& body, Wait wait) {
  constexpr int kMomentMs = 1;
  while (!has_message(body)) {
    if (ended_) return Got::End;
    pollfd ready{in_, POLLIN, 0};
    int count = poll(&ready, 1, wait == Wait::Moment ? kMomentMs : -1);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) return Got::Nothing;
    char bytes[65536];
    ssize_t got = ::read(in_, bytes, sizeof bytes);
    if (got > 0) buffer_.append(bytes, static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR) ended_ = true;
  }
  return Got::Message;
}

void Pipe::write(std::string_view body) {
  std::string all = fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
  for (size_t at = 0; at < all.size();) {
    ssize_t written = ::write(out_, all.data() + at, all.size() - at);
    if (written > 0) at += static_cast<size_t>(written);
    else if (errno != EINTR) break;  // the client has gone: reading will tell
  }
}

// ---- places ----

static void write_position(JsonWriter& json, const Positions& positions, uint32_t offset) {
  Position position = positions.position(offset, Columns::Utf16);
  json.object().field("line", position.line - 1).field("character", position.column - 1).end();
}

void write_range(JsonWriter& json, const Positions& positions, Span span) {
  json.object().key("start");
  write_position(json, positions, span.start);
  json.key("end");
  write_position(json, positions, span.end);
  json.end();
}

uint32_t offset_of(const Positions& positions, const Part& position) {
  auto line = position["line"].number().value_or(0);
  auto character = position["character"].number().value_or(0);
  auto clamped = [](int64_t n) { return static_cast<uint32_t>(n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : n) + 1; };
  return positions.offset({clamped(line), clamped(character)}, Columns::Utf16);
}

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  std::string out;
  std::string_view rest = uri.substr(kFile.size());
  for (size_t i = 0; i < rest.size(); ++i) {
    unsigned value = 0;
    bool is_escape = rest[i] == '%' && i + 2 < rest.size() + 0 &&
                     std::from_chars(&rest[i + 1], &rest[i + 3], value, 16).ptr == &rest[i + 3];
    if (!is_escape) {
      out += rest[i];
      continue;
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string uri_of_path(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string out = "file://";
  for (char c : path) {
    bool is_plain =
        isalnum(static_cast<unsigned char>(c)) || std::string_view("/-._~").find(c) != std::string_view::npos;
    if (is_plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace harn::lsp
