#include "base/placeholders.h"

#include <algorithm>
#include <vector>

namespace harn {

using Kind = PlaceholderPiece::Kind;

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Of the name at the start; 0: there is none.
size_t name_length(std::string_view text) {
  if (text.empty() || !begins_name(text[0])) return 0;
  return static_cast<size_t>(std::ranges::find_if_not(text, is_in_name) - text.begin());
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

}  // namespace

bool is_blank(std::string_view line) { return std::ranges::all_of(line, is_space); }

std::string_view common_indent(std::string_view text) {
  std::string_view common;
  bool is_first = true;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (is_blank(line)) continue;
    std::string_view own = line.substr(0, indent_of(line));
    if (is_first) common = own;
    is_first = false;
    auto differs = std::ranges::mismatch(common, own);
    common = common.substr(0, static_cast<size_t>(differs.in1 - common.begin()));
  }
  return common;
}

void PlaceholderScanner::take(Kind kind, std::string_view text, size_t length) {
  piece_ = {kind, text, at_, line_};
  line_ += static_cast<size_t>(std::ranges::count(text_.substr(at_, length), '\n'));
  at_ += length;
}

bool PlaceholderScanner::next() {
  if (at_ >= text_.size()) return false;
  std::string_view rest = text_.substr(at_);
  size_t dollar = std::min(rest.find('$'), rest.size());
  if (dollar > 0) {
    take(Kind::Text, rest.substr(0, dollar), dollar);
    return true;
  }
  std::string_view after = rest.substr(1);
  if (after.starts_with('$')) {
    take(Kind::Dollar, after.substr(0, 1), 2);
    return true;
  }
  bool is_braced = after.starts_with('{');
  if (is_braced) after.remove_prefix(1);
  size_t length = name_length(after);
  bool is_closed = !is_braced || (length < after.size() && after[length] == '}');
  if (length == 0 || !is_closed) take(Kind::Bad, rest.substr(0, 1), 1);
  else take(Kind::Name, after.substr(0, length), length + (is_braced ? 3 : 1));
  return true;
}

Dedented dedent(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::string_view common = common_indent(text);
  std::string out;
  out.reserve(text.size());
  for (std::string_view line : lines) {
    if (!is_blank(line)) out += line.substr(common.size());
    out += '\n';
  }
  auto first = std::ranges::find_if_not(out, is_space);
  auto skipped = static_cast<size_t>(std::count(out.begin(), first, '\n'));
  size_t last = out.find_last_not_of(" \t\n\r\f\v");
  if (last == std::string::npos) return {};
  return {std::string(first, out.begin() + static_cast<ptrdiff_t>(last) + 1), skipped};
}

}  // namespace harn
