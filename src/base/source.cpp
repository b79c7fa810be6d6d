#include "base/source.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace harn {

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

std::string_view SourceFile::text(Span span) const {
  auto start = std::min<size_t>(span.start, text_.size());
  auto end = std::clamp<size_t>(span.end, start, text_.size());
  return std::string_view(text_).substr(start, end - start);
}

const std::vector<uint32_t>& SourceFile::line_starts() const {
  std::call_once(line_starts_once_, [this] {
    line_starts_.push_back(0);
    const char* begin = text_.data();
    const char* end = begin + text_.size();
    for (const char* at = begin; (at = static_cast<const char*>(memchr(at, '\n', end - at)));) {
      line_starts_.push_back(static_cast<uint32_t>(++at - begin));
    }
  });
  return line_starts_;
}

Position SourceFile::position(uint32_t offset) const {
  const auto& starts = line_starts();
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto line = std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin();
  auto start = starts[line - 1];
  auto before = std::string_view(text_).substr(start, offset - start);
  return {static_cast<uint32_t>(line), static_cast<uint32_t>(text::count_chars(before)) + 1};
}

std::string_view SourceFile::line(uint32_t number) const {
  const auto& starts = line_starts();
  if (number == 0 || number > starts.size()) return {};
  size_t start = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] - 1 : text_.size();
  if (end > start && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(start, end - start);
}

}  // namespace harn
