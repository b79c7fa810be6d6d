#pragma once

#include "format/printer.h"

// The two shapes almost everything has: a comma list and a list of lines.
namespace harn::formatter {

template <class StartOf, class Emit>
void Printer::comma_list(ListStyle style, size_t count, uint32_t close_at, StartOf start_of, Emit emit) {
  WithContext context(*this, brackets());
  if (count == 0 && !next_comment(close_at)) {
    text(style.open);
    text(style.close);
    return;
  }
  layout_.begin_group({.breaks_on_hard = style.breaks_on_hard_line});
  text(style.open);
  LineKind edge = style.padded ? LineKind::Line : LineKind::Soft;
  bool keeps_rows = style.keeps_rows && has_row_comment(close_at);
  bool spread_out = false;  // an item other than the last has a line end in it
  for (size_t i = 0; i < count; ++i) {
    bool same_row = keeps_rows && i > 0 && !starts_row(start_of(i)) && !next_comment(start_of(i));
    if (same_row) text(" ");
    else line_with_comments(start_of(i), i == 0 ? edge : LineKind::Line);
    if (style.hugs_last && i + 1 == count) layout_.hug();
    size_t from = layout_.position();
    emit(i);
    if (layout_.has_hard_line(from) && i + 1 < count) spread_out = true;
    if (i + 1 < count) text(",");
    else layout_.if_broken(",");
  }
  comments_before_close(close_at);
  if (spread_out) layout_.force_break();
  if (style.padded) layout_.close_line();
  else layout_.close_soft_line();
  text(style.close);
  layout_.end_group();
}

template <class StartOf, class EndOf, class Emit>
void Printer::sequence(size_t count, uint32_t begin, uint32_t end, bool first_line, StartOf start_of, EndOf end_of,
                       Emit emit) {
  uint32_t before = begin;
  bool first = true;
  // Puts a line end in front of what starts at `start`, and a blank line when the author had one.
  auto next_line = [&](uint32_t start) {
    if (!first && blank_between(before, start)) layout_.blank_line();
    if (!(first && first_line)) layout_.hard_line();
    first = false;
  };
  auto comments = [&](uint32_t until, bool ends_list) {
    bool glued = false;
    bool own_line = false;
    while (const syntax::Comment* comment = next_comment(until)) {
      ++comment_;
      own_line |= comment->own_line || (first && first_line);
      if (!own_line && !glued) {
        layout_.suffix(comment_text(*comment));
      } else {
        if (!glued) next_line(comment->span.start);
        layout_.verbatim(comment_text(*comment));
        glued = comment->is_block && !ends_list && same_line(comment->span.end, until);
        if (glued) text(" ");
      }
      before = comment->span.end;
    }
    return glued;
  };
  for (size_t i = 0; i < count; ++i) {
    bool glued = comments(start_of(i), false);
    if (!glued) next_line(start_of(i));
    emit(i);
    before = end_of(i);
    while (const syntax::Comment* inside = next_comment(before)) {
      ++comment_;
      layout_.suffix(comment_text(*inside));
      moved_comments_ = true;
    }
    if (first_line) layout_.print(out_);
  }
  comments(end, true);
}

template <class StartOf, class EndOf, class Emit>
void Printer::braced_sequence(size_t count, uint32_t begin, uint32_t end, StartOf start_of, EndOf end_of, Emit emit) {
  WithContext context(*this, statements());
  text("{");
  if (count == 0 && !next_comment(end)) {
    text("}");
    return;
  }
  layout_.begin_group();
  layout_.force_break();
  sequence(count, begin, end, false, start_of, end_of, emit);
  layout_.close_hard_line();
  text("}");
  layout_.end_group();
}

}  // namespace harn::formatter
