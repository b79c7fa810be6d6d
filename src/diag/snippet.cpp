#include "diag/snippet.h"

#include <algorithm>

#include "base/text.h"

namespace harn::diag {

namespace {

constexpr size_t kTabWidth = 4;
constexpr size_t kMostColumns = 160;

std::string_view escape_code(Style style) {
  switch (style) {
    case Style::Plain: return "";
    case Style::Bold: return "\x1b[1m";
    case Style::Error: return "\x1b[1;31m";
    case Style::Warning: return "\x1b[1;33m";
    case Style::Info: return "\x1b[1;36m";
    case Style::Gutter:
    case Style::Note: return "\x1b[1;34m";
    case Style::Help: return "\x1b[1;36m";
    case Style::Insert: return "\x1b[32m";
  }
  return "";
}

// Columns a character takes in a terminal. Good for the scripts people write code in, not a full
// copy of the Unicode tables.
size_t char_width(char32_t c) {
  bool combining = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F) ||
                   (c >= 0x20D0 && c <= 0x20FF);
  if (combining) return 0;
  bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
              (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
              (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

std::string gutter(size_t width, const Paint& paint) { return std::string(width + 2, ' ') + paint("|", Style::Gutter); }

std::string numbered_gutter(uint32_t number, size_t width, const Paint& paint) {
  return paint(format(" {:>{}} |", number, width), Style::Gutter);
}

void end_line(std::string& out) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

}  // namespace

std::string Paint::operator()(std::string_view text, Style style) const {
  if (colour_ == Colour::No || style == Style::Plain) return std::string(text);
  return format("{}{}\x1b[0m", escape_code(style), text);
}

ShownLine::ShownLine(std::string_view line, size_t focus_byte) {
  // Of an enormous line, look only at what is near the place that matters.
  constexpr size_t kNear = 2000;
  focus_byte = std::min(focus_byte, line.size());
  if (line.size() > 2 * kNear) {
    first_byte_ = focus_byte > kNear ? focus_byte - kNear : 0;
    while (first_byte_ < focus_byte && (line[first_byte_] & 0xC0) == 0x80) ++first_byte_;
    line = line.substr(first_byte_, 2 * kNear);
    focus_byte -= first_byte_;
  }
  // First where every byte would stand in the whole line, then the window that is shown.
  columns_.reserve(line.size() + 1);
  std::string whole;
  std::vector<std::pair<uint32_t, uint32_t>> cells;  // column, offset in `whole`
  uint32_t column = 0;
  for (size_t at = 0; at < line.size();) {
    size_t size = text::char_size(line, at);
    char32_t c = text::decode(line, at);
    columns_.insert(columns_.end(), size, column);
    cells.emplace_back(column, static_cast<uint32_t>(whole.size()));
    if (c == '\t') {
      size_t width = kTabWidth - column % kTabWidth;
      whole.append(width, ' ');
      column += static_cast<uint32_t>(width);
    } else if (c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0xFFFD || (c >= 0x202A && c <= 0x202E) ||
               (c >= 0x2066 && c <= 0x2069)) {
      whole += "\xEF\xBF\xBD";
      ++column;
    } else {
      whole.append(line.substr(at, size));
      column += static_cast<uint32_t>(char_width(c));
    }
    at += size;
  }
  columns_.push_back(column);
  if (column <= kMostColumns) {
    text_ = std::move(whole);
    return;
  }
  uint32_t focus = columns_[std::min(focus_byte, line.size())];
  uint32_t from = focus > kMostColumns / 3 ? focus - static_cast<uint32_t>(kMostColumns / 3) : 0;
  auto first = std::lower_bound(cells.begin(), cells.end(), std::pair{from, uint32_t{0}});
  auto last =
      std::lower_bound(cells.begin(), cells.end(), std::pair{from + static_cast<uint32_t>(kMostColumns), uint32_t{0}});
  if (first == cells.end()) --first;
  from = first->first;
  uint32_t until = last == cells.end() ? column : last->first;
  size_t begin = first->second;
  size_t end = last == cells.end() ? whole.size() : last->second;
  std::string_view before = from > 0 || first_byte_ > 0 ? "..." : "";
  text_ = format("{}{}{}", before, std::string_view(whole).substr(begin, end - begin), end < whole.size() ? "..." : "");
  for (uint32_t& c : columns_) {
    c = std::clamp(c, from, until) - from + static_cast<uint32_t>(before.size());
  }
}

size_t ShownLine::column(size_t byte) const {
  byte = byte > first_byte_ ? byte - first_byte_ : 0;
  return columns_[std::min(byte, columns_.size() - 1)];
}

Snippet::Snippet(const SourceFile& source, std::vector<Mark> marks) : source_(source), marks_(std::move(marks)) {
  uint32_t largest = 1;
  for (const Mark& mark : marks_) {
    largest = std::max(largest, source_.position(std::max(mark.span.start, mark.span.end)).line);
  }
  gutter_width_ = std::to_string(largest).size();
}

std::string Snippet::render(const Paint& paint, Style primary) const {
  // Cut the marks into lines: a mark over several lines shows on its first and its last.
  struct Piece {
    size_t start, end;  // bytes in the line
    std::string_view text;
    bool primary;
  };
  std::map<uint32_t, std::vector<Piece>> lines;
  for (const Mark& mark : marks_) {
    uint32_t first = source_.position(mark.span.start).line;
    uint32_t end_offset = std::max(mark.span.start, mark.span.end);
    // A span that ends just behind a line end belongs to the line before.
    uint32_t last_offset = end_offset > mark.span.start ? end_offset - 1 : end_offset;
    uint32_t last = std::max(source_.position(last_offset).line, first);
    size_t start = mark.span.start - source_.line_start(first);
    if (first == last) {
      size_t end = end_offset - source_.line_start(first);
      lines[first].push_back({start, end, mark.text, mark.primary});
      continue;
    }
    lines[first].push_back({start, source_.line(first).size(), "", mark.primary});
    std::string_view text = source_.line(last);
    size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    lines[last].push_back({indent, end_offset - source_.line_start(last), mark.text, mark.primary});
  }

  std::string out = gutter(gutter_width_, paint) + "\n";
  uint32_t previous = 0;
  for (const auto& [number, pieces] : lines) {
    if (previous != 0 && number == previous + 2) {
      out += numbered_gutter(previous + 1, gutter_width_, paint) + " ";
      out += ShownLine(source_.line(previous + 1), 0).text();
      end_line(out);
    } else if (previous != 0 && number > previous + 1) {
      out += std::string(gutter_width_ - 1, ' ') + paint("...", Style::Gutter) + "\n";
    }
    previous = number;
    std::string_view text = source_.line(number);
    size_t focus = text.size();
    for (const Piece& piece : pieces) {
      if (piece.primary) focus = std::min(focus, piece.start);
    }
    if (focus == text.size() && !pieces.empty()) focus = pieces.front().start;
    ShownLine line(text, focus);
    out += numbered_gutter(number, gutter_width_, paint) + " " + line.text();
    end_line(out);
    std::vector<LineMark> marks;
    for (const Piece& piece : pieces) {
      size_t start = line.column(std::min(piece.start, text.size()));
      size_t end = line.column(std::min(piece.end, text.size()));
      marks.push_back({start, std::max(end, start + 1), piece.text, piece.primary});
    }
    add_line_marks(out, line, std::move(marks), paint, primary);
  }
  return out;
}

// Draws the row of `^^^` and `---`, then the labels. The label of the rightmost mark stands behind
// it; the others hang on a `|` further down, the leftmost lowest.
void Snippet::add_line_marks(std::string& out, const ShownLine&, std::vector<LineMark> marks, const Paint& paint,
                             Style primary) const {
  std::stable_sort(marks.begin(), marks.end(), [](const LineMark& a, const LineMark& b) { return a.start < b.start; });
  size_t width = 0;
  for (const LineMark& mark : marks) width = std::max(width, mark.end);
  std::string row(width, ' ');
  for (const LineMark& mark : marks) {
    if (!mark.primary) std::fill(row.begin() + mark.start, row.begin() + mark.end, '-');
  }
  for (const LineMark& mark : marks) {
    if (mark.primary) std::fill(row.begin() + mark.start, row.begin() + mark.end, '^');
  }
  auto style = [&](const LineMark& mark) { return mark.primary ? primary : Style::Note; };
  auto painted_row = [&](const std::string& text) {
    std::string painted;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && text[end] == text[at]) ++end;
      std::string_view run(text.data() + at, end - at);
      Style run_style = text[at] == '^' ? primary : text[at] == ' ' ? Style::Plain : Style::Note;
      painted += paint(run, run_style);
      at = end;
    }
    return painted;
  };

  const LineMark& last = marks.back();
  bool inline_label = last.end == width && !last.text.empty();
  out += gutter(gutter_width_, paint) + " " + painted_row(row);
  if (inline_label) out += " " + paint(last.text, style(last));
  end_line(out);

  std::vector<const LineMark*> hanging;
  for (const LineMark& mark : marks) {
    if (!mark.text.empty() && !(inline_label && &mark == &last)) hanging.push_back(&mark);
  }
  if (hanging.empty()) return;
  auto bars = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      if (text.size() > hanging[i]->start) continue;
      text.append(hanging[i]->start - text.size(), ' ');
      text += '|';
    }
    return text;
  };
  out += gutter(gutter_width_, paint) + " " + paint(bars(hanging.size()), Style::Note);
  end_line(out);
  for (size_t i = hanging.size(); i-- > 0;) {
    std::string before = bars(i);
    before.resize(std::max(before.size(), hanging[i]->start), ' ');
    if (before.size() > hanging[i]->start) before.resize(hanging[i]->start);
    out += gutter(gutter_width_, paint) + " " + paint(before, Style::Note);
    out += paint(hanging[i]->text, style(*hanging[i]));
    end_line(out);
  }
}

std::string render_edit(const SourceFile& source, Span span, std::string_view replacement, size_t gutter_width,
                        const Paint& paint) {
  std::string_view removed = source.text(span);
  auto has_line_end = [](std::string_view text) { return text.contains('\n'); };
  if (has_line_end(replacement) || has_line_end(removed)) return {};
  uint32_t number = source.position(span.start).line;
  std::string_view line = source.line(number);
  size_t start = std::min<size_t>(span.start - source.line_start(number), line.size());
  size_t end = std::min(start + removed.size(), line.size());

  // A removal is drawn on the old line, everything else on the new one.
  bool removal = replacement.empty();
  std::string edited(line);
  if (!removal) edited = format("{}{}{}", line.substr(0, start), replacement, line.substr(end));
  size_t marked_end = removal ? end : start + replacement.size();
  ShownLine shown(edited, start);
  size_t from = shown.column(start);
  size_t until = shown.column(marked_end);
  char symbol = removal ? '-' : removed.empty() ? '+' : '~';
  // `==` for `=`, `f(x)` for `x`: mark only what is new.
  size_t inner = removal || removed.empty() ? std::string_view::npos : replacement.find(removed);
  std::string marks(until, ' ');
  if (inner != std::string_view::npos) {
    size_t keep_from = shown.column(start + inner);
    size_t keep_until = shown.column(start + inner + removed.size());
    std::fill(marks.begin() + from, marks.begin() + keep_from, '+');
    std::fill(marks.begin() + keep_until, marks.end(), '+');
  } else {
    std::fill(marks.begin() + from, marks.end(), symbol);
  }
  std::string out = gutter(gutter_width, paint) + "\n";
  out += numbered_gutter(number, gutter_width, paint) + " " + shown.text();
  end_line(out);
  out += gutter(gutter_width, paint) + " " + paint(marks, removal ? Style::Error : Style::Insert);
  end_line(out);
  return out;
}

}  // namespace harn::diag
