#include "format/layout.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace harn::formatter {

void Layout::text(std::string_view text) {
  if (!text.empty()) ops_.push_back({.kind = Kind::Text, .text = text});
}

void Layout::verbatim(std::string_view text) {
  for (;;) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    this->text(line);
    if (end == std::string_view::npos) return;
    last_raw_ = ops_.size();
    ops_.push_back({.kind = Kind::RawLine});
    text.remove_prefix(end + 1);
  }
}

void Layout::add_line(Kind kind, bool close) { ops_.push_back({.kind = kind, .close = close}); }
void Layout::line() { add_line(Kind::Line, false); }
void Layout::soft_line() { add_line(Kind::SoftLine, false); }
void Layout::backslash_line() { add_line(Kind::BackslashLine, false); }
void Layout::close_line() { add_line(Kind::Line, true); }
void Layout::close_soft_line() { add_line(Kind::SoftLine, true); }

void Layout::hard_line() {
  last_hard_ = ops_.size();
  ops_.push_back({.kind = Kind::HardLine, .blank = blank_});
  blank_ = false;
}

void Layout::close_hard_line() {
  last_hard_ = ops_.size();
  ops_.push_back({.kind = Kind::HardLine, .close = true});
  blank_ = false;
}

void Layout::if_broken(std::string_view text) { ops_.push_back({.kind = Kind::IfBroken, .text = text}); }

void Layout::suffix(std::string_view comment) { ops_.push_back({.kind = Kind::Suffix, .text = comment}); }

void Layout::begin_group(GroupStyle style) {
  open_.push_back(static_cast<uint32_t>(ops_.size()));
  ops_.push_back({.kind = Kind::Begin, .breaks_on_hard = style.breaks_on_hard, .indent = style.indent});
}

void Layout::hug() { ops_[open_.back()].hug = static_cast<uint32_t>(ops_.size()); }

void Layout::force_break() {
  if (!open_.empty()) ops_[open_.back()].forced = true;
}

void Layout::end_group() {
  uint32_t begin = open_.back();
  open_.pop_back();
  auto end = static_cast<uint32_t>(ops_.size());
  ops_[begin].other = end;
  ops_.push_back({.kind = Kind::End});
  bool has_raw_line = last_raw_ != kNone && last_raw_ >= begin;
  if (ops_[begin].breaks_on_hard && (has_raw_line || has_hard_line(begin))) {
    ops_[begin].forced = true;
  }
  if (!ops_[begin].forced) return;
  // Its own lines must come, and groups around it should know.
  for (uint32_t i = begin + 1; i < end; ++i) {
    if (ops_[i].kind == Kind::Begin) {
      i = ops_[i].other;
    } else if (ops_[i].kind == Kind::Line || ops_[i].kind == Kind::SoftLine) {
      ops_[i].kind = Kind::HardLine;
      last_hard_ = std::max<size_t>(last_hard_ == kNone ? 0 : last_hard_, i);
    }
  }
}

void Layout::measure() {
  size_t count = ops_.size();
  sum_.resize(count + 1);
  next_hard_.resize(count + 1);
  next_line_.resize(count + 1);
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum_[i] = sum;
    const Op& op = ops_[i];
    if (op.kind == Kind::Text) sum += static_cast<uint32_t>(text::count_chars(op.text));
    else if (op.kind == Kind::Line || op.kind == Kind::BackslashLine) sum += 1;
  }
  sum_[count] = sum;
  auto hard = static_cast<uint32_t>(count);
  auto any = hard;
  next_hard_[count] = hard;
  next_line_[count] = any;
  for (size_t i = count; i-- > 0;) {
    switch (ops_[i].kind) {
      case Kind::HardLine:
      case Kind::RawLine: hard = any = static_cast<uint32_t>(i); break;
      case Kind::Line:
      case Kind::SoftLine:
      case Kind::BackslashLine: any = static_cast<uint32_t>(i); break;
      default: break;
    }
    next_hard_[i] = hard;
    next_line_[i] = any;
  }
}

bool Layout::stays_flat(uint32_t begin) const {
  const Op& op = ops_[begin];
  if (op.forced) return false;
  uint32_t hard = next_hard_[begin];
  uint32_t until = hard < op.other ? hard : next_line_[op.other];
  if (column_ + (sum_[until] - sum_[begin]) <= width_) return true;
  if (op.hug == 0) return false;
  return column_ + (sum_[next_line_[op.hug]] - sum_[begin]) <= width_;
}

void Layout::put(std::string& out, std::string_view text) {
  out += text;
  column_ += static_cast<uint32_t>(text::count_chars(text));
}

void Layout::new_line(std::string& out, uint32_t indent, bool blank) {
  if (!suffixes_.empty()) {
    out += ' ';
    out += suffixes_[0];
    // Only one comment fits behind the code; the others follow on lines of their own.
    split_comments_ |= suffixes_.size() > 1;
    for (size_t i = 1; i < suffixes_.size(); ++i) {
      out += '\n';
      out.append(indent, ' ');
      out += suffixes_[i];
    }
    suffixes_.clear();
  }
  out += blank ? "\n\n" : "\n";
  out.append(indent, ' ');
  column_ = indent;
}

void Layout::print(std::string& out) {
  HARN_ASSERT(open_.empty(), "a layout is printed with an open group");
  measure();
  stack_.clear();
  stack_.push_back({true, 0, 0});
  for (uint32_t i = 0; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    Open& group = stack_.back();
    switch (op.kind) {
      case Kind::Text: put(out, op.text); break;
      case Kind::IfBroken:
        if (group.broken) put(out, op.text);
        break;
      case Kind::Line:
        if (group.broken) new_line(out, op.close ? group.base : group.inner, false);
        else put(out, " ");
        break;
      case Kind::SoftLine:
        if (group.broken) new_line(out, op.close ? group.base : group.inner, false);
        break;
      case Kind::BackslashLine:
        if (group.broken) {
          out += " \\\n";
          out.append(group.inner, ' ');
          column_ = group.inner;
        } else {
          put(out, " ");
        }
        break;
      case Kind::HardLine: new_line(out, op.close ? group.base : group.inner, op.blank); break;
      case Kind::RawLine:
        out += '\n';
        column_ = 0;
        break;
      case Kind::Indent:
        if (group.broken) group.inner = static_cast<uint32_t>(group.inner + op.indent);
        break;
      case Kind::Suffix: suffixes_.push_back(op.text); break;
      case Kind::Begin: {
        bool broken = !stays_flat(i);
        uint32_t base = group.inner;
        uint32_t inner = broken ? static_cast<uint32_t>(base + op.indent) : base;
        stack_.push_back({broken, base, inner});
        break;
      }
      case Kind::End: stack_.pop_back(); break;
    }
  }
  ops_.clear();
  last_hard_ = last_raw_ = kNone;
}

void Layout::finish(std::string& out) {
  if (!suffixes_.empty()) new_line(out, 0, false);
  else if (!out.empty() && out.back() != '\n') out += '\n';
}

}  // namespace harn::formatter
