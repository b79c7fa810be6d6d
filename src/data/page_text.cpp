#include "data/page_text.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace harn::data {

namespace {

// Where a page says what its charset is, it does so here.
constexpr size_t kBeginning = 1024;

// 0x80 to 0x9F; the others are those of Unicode.
constexpr char16_t kWindows1252[] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                     0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

std::string from_western(std::string_view body) {
  std::string out;
  out.reserve(body.size() + body.size() / 8);
  for (char c : body) {
    auto byte = static_cast<uint8_t>(c);
    text::append_utf8(out, byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : byte);
  }
  return out;
}

// Halves of a pair that stand alone become U+FFFD.
std::string from_utf16(std::string_view body, bool is_big) {
  std::string out;
  out.reserve(body.size());
  auto unit = [&](size_t at) {
    auto first = static_cast<uint8_t>(body[at]), second = static_cast<uint8_t>(body[at + 1]);
    return static_cast<char32_t>(is_big ? first << 8 | second : second << 8 | first);
  };
  for (size_t at = 0; at + 1 < body.size(); at += 2) {
    char32_t point = unit(at);
    bool has_other = point >= 0xD800 && point < 0xDC00 && at + 3 < body.size() && (unit(at + 2) & 0xFC00) == 0xDC00;
    if (has_other) {
      point = 0x10000 + ((point & 0x3FF) << 10) + (unit(at + 2) & 0x3FF);
      at += 2;
    }
    text::append_utf8(out, point >= 0xD800 && point < 0xE000 ? char32_t{0xFFFD} : point);
  }
  return out;
}

// What stands behind `charset=`, in small letters; empty: nothing.
std::string charset_in(std::string_view said) {
  std::string lower = text::ascii_lower(said);
  size_t at = lower.find("charset=");
  if (at == std::string::npos) return {};
  at = lower.find_first_not_of("\"' ", at + 8);
  if (at == std::string::npos) return {};
  return lower.substr(at, lower.find_first_of("\"';, />", at) - at);
}

bool is_western(std::string_view charset) {
  constexpr std::string_view kNames[] = {"iso-8859-1", "latin1",   "latin-1", "windows-1252",
                                         "cp1252",     "us-ascii", "ascii"};
  return std::ranges::find(kNames, charset) != std::end(kNames);
}

bool says_text(std::string_view type) {
  if (type.empty()) return false;
  for (std::string_view word : {"text/", "html", "xml", "json", "javascript"}) {
    if (type.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> page_text(std::string_view body, std::string_view content_type) {
  std::string type = text::ascii_lower(content_type.substr(0, content_type.find(';')));
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  if (body.starts_with("\xFF\xFE")) return from_utf16(body.substr(2), false);
  if (body.starts_with("\xFE\xFF")) return from_utf16(body.substr(2), true);
  std::string charset = charset_in(content_type);
  if (charset.empty() && type.find("html") != std::string::npos) charset = charset_in(body.substr(0, kBeginning));
  if (charset.starts_with("utf-16")) return from_utf16(body, charset == "utf-16be");
  if (body.find('\0') != std::string_view::npos) return std::nullopt;
  if (is_western(charset)) return from_western(body);
  if (text::is_valid_utf8(body)) return std::string(body);
  if (!says_text(type)) return std::nullopt;
  // One that says it is UTF-8 has some bytes wrong; of charsets that are not known here only the letters of ASCII can be read.
  return charset.empty() ? from_western(body) : text::to_valid_utf8(body);
}

}  // namespace harn::data
