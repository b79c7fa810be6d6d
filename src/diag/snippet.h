#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

// Source lines with marks under them, for render.cpp.
namespace harn::diag {

enum class Style : uint8_t { Plain, Bold, Error, Warning, Info, Gutter, Note, Help, Insert };

// Wraps text in terminal colours, or leaves it as it is.
class Paint {
 public:
  explicit Paint(Colour colour) : colour_(colour) {}
  std::string operator()(std::string_view text, Style style) const;

 private:
  Colour colour_;
};

struct Mark {
  Span span;
  std::string text;  // may be empty
  bool primary;
};

// One line of source as a terminal shows it: tabs expanded, characters that would not print
// replaced, a very long line cut around the place that matters.
class ShownLine {
 public:
  ShownLine(std::string_view line, size_t focus_byte);

  const std::string& text() const { return text_; }
  // The column of a byte of the line, both from 0. Outside the cut: the nearest column shown.
  size_t column(size_t byte) const;

 private:
  std::string text_;
  size_t first_byte_ = 0;          // what comes before is not looked at
  std::vector<uint32_t> columns_;  // per byte of the line from there, and one more for its end
};

class Snippet {
 public:
  Snippet(const SourceFile& source, std::vector<Mark> marks);

  size_t gutter_width() const { return gutter_width_; }
  std::string render(const Paint& paint, Style primary) const;

 private:
  // A mark, or the part of it that lies on one line.
  struct LineMark {
    size_t start, end;  // columns
    std::string_view text;
    bool primary;
  };

  void add_line_marks(std::string& out, const ShownLine& line, std::vector<LineMark> marks, const Paint& paint,
                      Style primary) const;

  const SourceFile& source_;
  std::vector<Mark> marks_;
  size_t gutter_width_ = 1;
};

// The line `span` is on, after the edit, with the new text marked. Empty for edits of several
// lines.
std::string render_edit(const SourceFile& source, Span span, std::string_view replacement, size_t gutter_width,
                        const Paint& paint);

}  // namespace harn::diag
