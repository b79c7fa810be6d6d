#include "syntax/strings.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace harn::syntax {

namespace {

bool is_indent(char c) { return c == ' ' || c == '\t'; }

// Writes the character an escape stands for; returns false when `\c` is no escape.
bool decode_escape(char c, char& out) {
  switch (c) {
    case 'n': out = '\n'; return true;
    case 'r': out = '\r'; return true;
    case 't': out = '\t'; return true;
    case '0': out = '\0'; return true;
    case '\\':
    case '"':
    case '$': out = c; return true;
    default: return false;
  }
}

char* decode_into(char* to, std::string_view raw) {
  for (size_t i = 0; i < raw.size(); ++i) {
    char c;
    if (raw[i] == '\\' && i + 1 < raw.size() && decode_escape(raw[i + 1], c)) {
      *to++ = c;
      ++i;
    } else {
      *to++ = raw[i];
    }
  }
  return to;
}

size_t indent_width(std::string_view line) {
  size_t width = 0;
  while (width < line.size() && is_indent(line[width])) ++width;
  return width;
}

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

size_t common_size(std::string_view a, std::string_view b) {
  auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(end - a.begin());
}

// The white space that all lines begin with, character by character: a tab is not so many spaces.
using Indent = std::optional<std::string_view>;

// Narrows `common` by the lines that begin in `piece`. `goes_on` says that an interpolation follows, so
// a last line of spaces only is not empty.
void narrow(Indent& common, std::string_view piece, bool begins_line, bool goes_on) {
  size_t at = 0;
  bool counts = begins_line;
  for (;;) {
    size_t end = piece.find('\n', at);
    bool last = end == std::string_view::npos;
    std::string_view line = piece.substr(at, last ? std::string_view::npos : end - at);
    std::string_view indent = line.substr(0, indent_width(line));
    bool empty = without_return(line).size() <= indent.size() && !(last && goes_on);
    if (counts && !empty) common = common ? common->substr(0, common_size(*common, indent)) : indent;
    if (last) return;
    counts = true;
    at = end + 1;
  }
}

char* strip_into(char* to, std::string_view piece, std::string_view indent, bool begins_line) {
  size_t at = 0;
  bool strip = begins_line;
  for (;;) {
    size_t end = piece.find('\n', at);
    bool last = end == std::string_view::npos;
    std::string_view line = piece.substr(at, last ? std::string_view::npos : end - at);
    if (!last) line = without_return(line);
    if (strip) line.remove_prefix(common_size(line, indent));
    to = decode_into(to, line);
    if (last) return to;
    *to++ = '\n';
    strip = true;
    at = end + 1;
  }
}

}  // namespace

std::string_view decode_escapes(Arena& arena, std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  char* start = static_cast<char*>(arena.allocate(raw.size(), 1));
  char* end = decode_into(start, raw);
  return {start, static_cast<size_t>(end - start)};
}

void decode_multiline(Arena& arena, std::span<TextPiece> pieces) {
  std::string_view& first = pieces.front().raw;
  size_t before = first.size();
  if (first.starts_with("\r\n")) first.remove_prefix(2);
  else if (first.starts_with('\n')) first.remove_prefix(1);
  bool dropped_line = first.size() < before;

  // A last line of white space only belongs to the closing quotes; the line end before it goes too.
  std::string_view& last = pieces.back().raw;
  size_t line = last.rfind('\n');
  if (line != std::string_view::npos) {
    std::string_view tail = last.substr(line + 1);
    if (indent_width(tail) == tail.size()) last = without_return(last.substr(0, line));
  } else if (pieces.size() == 1 && dropped_line && indent_width(last) == last.size()) {
    last = {};
  }

  Indent indent;
  for (size_t i = 0; i < pieces.size(); ++i) narrow(indent, pieces[i].raw, i == 0, i + 1 < pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string_view raw = pieces[i].raw;
    if (raw.empty()) {
      pieces[i].value = {};
      continue;
    }
    char* start = static_cast<char*>(arena.allocate(raw.size(), 1));
    char* end = strip_into(start, raw, indent.value_or(""), i == 0);
    pieces[i].value = {start, static_cast<size_t>(end - start)};
  }
}

}  // namespace harn::syntax
