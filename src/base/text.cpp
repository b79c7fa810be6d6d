#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>

#include "base/fmt.h"

namespace harn::text {

bool is_identifier(std::string_view word) {
  if (word.empty() || !is_identifier_start(word[0])) return false;
  return std::all_of(word.begin(), word.end(), is_identifier_part);
}

bool is_ascii(std::string_view bytes) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t block;
    memcpy(&block, at, 8);
    if (block & 0x8080808080808080ull) return false;
  }
  for (; left > 0; ++at, --left) {
    if (*at & 0x80) return false;
  }
  return true;
}

// Length of the well-formed sequence at `at`, 0 when it is not one (RFC 3629).
static size_t sequence_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  auto continues = [&](size_t i) { return at + i < text.size() && (byte(i) & 0xC0) == 0x80; };
  uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return continues(1) ? 2 : 0;
  if (lead < 0xF0) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) >= 0xA0) return 0;  // surrogates
    return 3;
  }
  if (lead < 0xF5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

size_t char_size(std::string_view utf8, size_t at) { return std::max<size_t>(1, sequence_length(utf8, at)); }

size_t count_chars(std::string_view utf8) {
  if (is_ascii(utf8)) return utf8.size();
  size_t count = 0;
  for (size_t at = 0; at < utf8.size(); at += char_size(utf8, at)) ++count;
  return count;
}

size_t char_offset(std::string_view utf8, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < utf8.size(); --index) {
    at += static_cast<uint8_t>(utf8[at]) < 0x80 ? 1 : char_size(utf8, at);
  }
  return at;
}

// A well-formed sequence never holds the lead byte of another, so looking backwards finds the same
// characters as looking forwards.
static size_t last_char_size(std::string_view utf8) {
  for (size_t size = 1; size <= std::min<size_t>(4, utf8.size()); ++size) {
    if ((utf8[utf8.size() - size] & 0xC0) == 0x80) continue;
    return sequence_length(utf8, utf8.size() - size) == size ? size : 1;
  }
  return 1;
}

size_t char_offset_from_end(std::string_view utf8, size_t count) {
  for (; count > 0 && !utf8.empty(); --count) utf8.remove_suffix(last_char_size(utf8));
  return utf8.size();
}

bool is_valid_utf8(std::string_view bytes) {
  if (is_ascii(bytes)) return true;
  for (size_t at = 0; at < bytes.size();) {
    size_t length = sequence_length(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string to_valid_utf8(std::string_view bytes) {
  if (is_valid_utf8(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    size_t length = sequence_length(bytes, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out.append(bytes.substr(at, length));
      at += length;
    }
  }
  return out;
}

char32_t decode(std::string_view utf8, size_t at) {
  auto byte = [&](size_t i) { return static_cast<char32_t>(static_cast<uint8_t>(utf8[at + i])); };
  switch (sequence_length(utf8, at)) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    default: return 0xFFFD;
  }
}

void append_utf8(std::string& out, char32_t c) {
  auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  }
}

bool is_space(char32_t c) {
  if (c <= 0x20) return c == ' ' || (c >= 9 && c <= 13);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string_view trim_start(std::string_view utf8) {
  size_t at = 0;
  while (at < utf8.size() && is_space(decode(utf8, at))) at += char_size(utf8, at);
  return utf8.substr(at);
}

std::string_view trim_end(std::string_view utf8) {
  size_t end = utf8.size();
  while (end > 0) {
    size_t start = end - 1;
    while (start > 0 && end - start < 4 && (utf8[start] & 0xC0) == 0x80) --start;
    if (!is_space(decode(utf8.substr(0, end), start))) break;
    end = start;
  }
  return utf8.substr(0, end);
}

bool matches_stars(std::string_view pattern, std::string_view text) {
  size_t at = 0;
  size_t star = pattern.npos;  // the last one, and how much of the text it stands for so far
  size_t taken = 0;
  for (size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != pattern.npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lower(c);
  return out;
}

std::string_view trim(std::string_view utf8) { return trim_end(trim_start(utf8)); }

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view word : split(text, ",")) {
    if (word = trim(word); !word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    size_t at = text.find(from);
    if (at == std::string_view::npos) break;
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  constexpr size_t kLongest = 64;
  if (a.size() > kLongest || b.size() > kLongest) return limit + 1;
  size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  // Optimal string alignment: a swap of neighbours is one slip, not two.
  std::array<std::array<size_t, kLongest + 1>, 3> rows;
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

static bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return tolower(x) == tolower(y); });
}

// How many slips make `typed` out of `meant`; none that is likely for `typed` gives nothing. In a
// name of one or two letters a slip makes a different name, except for two letters swapped.
static std::optional<size_t> slips(std::string_view typed, std::string_view meant) {
  if (equal_but_for_case(typed, meant)) return 0;
  size_t shorter = std::min(typed.size(), meant.size());
  size_t limit = shorter <= 4 ? 1 : 2;
  size_t distance = edit_distance(typed, meant, limit);
  if (distance > limit) return std::nullopt;
  bool swapped = typed.size() == 2 && meant.size() == 2 && typed[0] == meant[1] && typed[1] == meant[0];
  if (shorter <= 2 && !swapped) return std::nullopt;
  return distance;
}

std::vector<std::string_view> close_names(std::string_view word, std::span<const std::string_view> candidates,
                                          size_t most) {
  std::vector<std::pair<size_t, std::string_view>> found;
  for (std::string_view candidate : candidates) {
    if (candidate == word) continue;
    if (auto distance = slips(word, candidate)) found.emplace_back(*distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (auto& [distance, name] : found) {
    if (names.size() == most) break;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

static bool changes_screen(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string visible(std::string_view text, Lines lines) {
  std::string sound = to_valid_utf8(text), out;
  bool keeps = lines == Lines::Kept;
  for (size_t at = 0, size; at < sound.size(); at += size) {
    size = char_size(sound, at);
    char32_t c = decode(sound, at);
    // An end of a line that is written with both is one.
    bool is_pair = c == '\r' && at + 1 < sound.size() && sound[at + 1] == '\n';
    if (keeps && is_pair) continue;
    if (!changes_screen(c) || (keeps && (c == '\n' || c == '\t'))) out.append(sound, at, size);
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else out += fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(c));
  }
  return out;
}

std::string plural(size_t count, std::string_view noun) {
  std::string out = std::to_string(count);
  out.append(" ").append(noun);
  if (count != 1) out += 's';
  return out;
}

std::string argument_count(size_t least, size_t most) {
  if (most == SIZE_MAX) return fmt::format("at least {}", plural(least, "argument"));
  if (least == most) return plural(least, "argument");
  return fmt::format("{} to {}", least, plural(most, "argument"));
}

}  // namespace harn::text
