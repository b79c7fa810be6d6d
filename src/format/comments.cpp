#include "base/text.h"
#include "format/printer.h"

// Where comments go. Nothing is ever dropped: a comment in a place that has no line of its own
// moves to the end of the line being written.
namespace harn::formatter {

using syntax::Comment;

std::string_view Printer::comment_text(const Comment& comment) const { return text::trim_end(source(comment.span)); }

bool Printer::same_line(uint32_t from, uint32_t to) const {
  if (to <= from) return true;
  return source_.substr(from, to - from).find('\n') == std::string_view::npos;
}

// Whether an empty line lies between two places.
bool Printer::blank_between(uint32_t from, uint32_t to) const {
  bool line_ended = false;
  for (uint32_t at = from; at < to; ++at) {
    char c = source_[at];
    if (c == '\n') {
      if (line_ended) return true;
      line_ended = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      line_ended = false;
    }
  }
  return false;
}

void Printer::place_inner_comments(uint32_t before) {
  moved_comments_ = true;
  while (const Comment* comment = next_comment(before)) {
    ++comment_;
    std::string_view body = comment_text(*comment);
    if (comment->is_block && body.find('\n') == std::string_view::npos) {
      text(body);
      text(" ");
    } else {
      layout_.suffix(body);
    }
  }
}

// The line in front of a list's item. Comments behind the item before stay on its line, the others
// get lines of their own.
void Printer::line_with_comments(uint32_t before, LineKind kind) {
  while (const Comment* comment = next_comment(before)) {
    bool leads = comment->is_block && same_line(comment->span.end, before);
    if (comment->own_line || leads) break;
    ++comment_;
    layout_.suffix(comment_text(*comment));
    layout_.force_break();
  }
  if (kind == LineKind::Line) layout_.line();
  else layout_.soft_line();
  while (const Comment* comment = next_comment(before)) {
    ++comment_;
    layout_.verbatim(comment_text(*comment));
    if (comment->is_block && same_line(comment->span.end, before)) {
      text(" ");
    } else {
      layout_.force_break();
      layout_.hard_line();
    }
  }
}

// Comments in front of the keyword stay there, and the keyword gets a line of its own.
void Printer::continuation(std::string_view keyword, uint32_t from, uint32_t until) {
  uint32_t at = find_char(keyword[0], from, until);
  if (!next_comment(at)) {
    text(" ");
    text(keyword);
    return;
  }
  layout_.force_break();
  while (const Comment* comment = next_comment(at)) {
    ++comment_;
    if (comment->own_line) {
      layout_.hard_line();
      layout_.verbatim(comment_text(*comment));
    } else {
      layout_.suffix(comment_text(*comment));
    }
  }
  layout_.hard_line();
  text(keyword);
}

bool Printer::has_row_comment(uint32_t close_at) const {
  for (size_t i = comment_; i < comment_count_ && comments_[i].span.start < close_at; ++i) {
    if (!comments_[i].own_line && !comments_[i].is_block) return true;
  }
  return false;
}

bool Printer::starts_row(uint32_t start) const {
  while (start > 0 && (source_[start - 1] == ' ' || source_[start - 1] == '\t')) --start;
  return start == 0 || source_[start - 1] == '\n';
}

// Nothing may follow a comment that has its line for itself, so the next one gets a line too.
void Printer::comments_before_close(uint32_t before) {
  bool own_line = false;
  while (const Comment* comment = next_comment(before)) {
    ++comment_;
    own_line |= comment->own_line;
    if (own_line) {
      layout_.force_break();
      layout_.hard_line();
      layout_.verbatim(comment_text(*comment));
    } else if (comment->is_block && same_line(comment->span.start, comment->span.end)) {
      text(" ");
      text(comment_text(*comment));
    } else {
      layout_.force_break();
      layout_.suffix(comment_text(*comment));
    }
  }
}

void Printer::comments_before_link(uint32_t before) {
  bool own_line = false;
  while (const Comment* comment = next_comment(before)) {
    bool leads = comment->is_block && same_line(comment->span.end, before);
    if (leads) return;  // stays in front of the operand
    ++comment_;
    own_line |= comment->own_line;
    layout_.force_break();
    if (own_line) {
      layout_.hard_line();
      layout_.verbatim(comment_text(*comment));
    } else {
      layout_.suffix(comment_text(*comment));
    }
  }
}

// Whether a comment between the two ends its line.
bool Printer::has_line_comment(uint32_t from, uint32_t to) const {
  for (size_t i = comment_; i < comment_count_ && comments_[i].span.start < to; ++i) {
    if (comments_[i].span.start >= from && !comments_[i].is_block) return true;
  }
  return false;
}

// The offset of `c` behind `offset`, comments skipped; `end` when it is not there.
uint32_t Printer::find_char(char c, uint32_t offset, uint32_t end) const {
  size_t comment = comment_;
  while (offset < end) {
    while (comment < comment_count_ && comments_[comment].span.end <= offset) ++comment;
    if (comment < comment_count_ && comments_[comment].span.start <= offset) {
      offset = comments_[comment].span.end;
      continue;
    }
    if (source_[offset] == c) return offset;
    ++offset;
  }
  return end;
}

}  // namespace harn::formatter
