#include "base/positions.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace harn {

Positions::Positions(std::string_view text) : text_(text), line_starts_{0} {
  const char* begin = text.data();
  const char* end = begin + text.size();
  for (const char* at = begin; at && (at = static_cast<const char*>(memchr(at, '\n', end - at)));) {
    line_starts_.push_back(static_cast<uint32_t>(++at - begin));
  }
}

std::string_view Positions::line(uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  size_t start = line_starts_[number - 1];
  size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  if (end > start && text_[end - 1] == '\r') --end;
  return text_.substr(start, end - start);
}

// How much one character adds to a column.
static uint32_t width(std::string_view text, size_t at, size_t size, Columns columns) {
  switch (columns) {
    case Columns::Bytes: return static_cast<uint32_t>(size);
    case Columns::Characters: return 1;
    case Columns::Utf16: return text::decode(text, at) > 0xFFFF ? 2 : 1;
  }
  return 1;
}

uint32_t Positions::line_of(uint32_t offset) const {
  auto behind = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<uint32_t>(behind - line_starts_.begin());
}

Position Positions::position(uint32_t offset, Columns columns) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  Position found{line_of(offset), 1};
  for (size_t at = line_starts_[found.line - 1]; at < offset;) {
    size_t size = text::char_size(text_, at);
    if (at + size > offset) break;
    found.column += width(text_, at, size, columns);
    at += size;
  }
  return found;
}

uint32_t Positions::offset(Position position, Columns columns) const {
  if (position.line > line_starts_.size()) return static_cast<uint32_t>(text_.size());
  if (position.line == 0) return 0;
  size_t at = line_starts_[position.line - 1];
  size_t end = at + line(position.line).size();
  for (uint32_t left = std::max(position.column, 1u) - 1; at < end;) {
    size_t size = text::char_size(text_, at);
    uint32_t step = width(text_, at, size, columns);
    if (step > left) break;
    left -= step;
    at += size;
  }
  return static_cast<uint32_t>(at);
}

}  // namespace harn
