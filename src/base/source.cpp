#include "base/source.h"

#include <algorithm>

namespace harn {

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

std::string_view SourceFile::text(Span span) const {
  auto start = std::min<size_t>(span.start, text_.size());
  auto end = std::clamp<size_t>(span.end, start, text_.size());
  return std::string_view(text_).substr(start, end - start);
}

const Positions& SourceFile::positions() const {
  std::call_once(positions_once_, [this] { positions_.emplace(text_); });
  return *positions_;
}

}  // namespace harn
