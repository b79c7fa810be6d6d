// Long outputs of tools, shortened so that what matters is still there.
#include <algorithm>
#include <array>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/message_text.h"

namespace harn::builtins {
namespace {

constexpr size_t kLeast = 200;        // a limit below this would leave nothing to read
constexpr size_t kMarkers = 100;      // room for both of them
constexpr size_t kLongestLine = 300;  // of a diagnostic that is kept

// Lower-case.
constexpr std::array<std::string_view, 10> kSigns = {"error",     "fail",   "panic",     "exception", "fatal",
                                                     "traceback", "assert", "undefined", "cannot ",   "not found"};

std::string_view first_chars(std::string_view text, size_t count) {
  return text.substr(0, text::char_offset(text, count));
}
std::string_view last_chars(std::string_view text, size_t count) {
  return text.substr(text::char_offset_from_end(text, count));
}

// Whole lines, unless that would cost more than half of it.
std::string_view head_of(std::string_view text, size_t count) {
  std::string_view head = first_chars(text, count);
  size_t end = head.rfind('\n');
  return end != std::string_view::npos && end >= head.size() / 2 ? head.substr(0, end) : head;
}
std::string_view tail_of(std::string_view text, size_t count) {
  std::string_view tail = last_chars(text, count);
  size_t end = tail.find('\n');
  return end != std::string_view::npos && end < tail.size() / 2 ? tail.substr(end + 1) : tail;
}

bool is_diagnostic(std::string_view line) {
  std::string small(line.substr(0, kLongestLine));
  std::transform(small.begin(), small.end(), small.begin(), [](char c) { return text::ascii_lower(c); });
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return small.find(sign) != std::string::npos; });
}

std::string diagnostics_of(std::string_view text, size_t most) {
  std::string out;
  size_t left = most;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!is_diagnostic(line)) continue;
    std::string_view kept = first_chars(line, kLongestLine);
    size_t size = text::count_chars(kept) + 1;
    if (size > left) break;
    left -= size;
    out += kept;
    out += '\n';
  }
  return out;
}

}  // namespace

std::string microcompact(std::string_view text, size_t most) {
  size_t count = text::count_chars(text);
  if (most < kLeast || count <= most) return std::string(text);
  size_t room = most - kMarkers;
  std::string diagnostics;
  std::string_view head, tail;
  for (size_t for_diagnostics : {room / 3, size_t{0}}) {
    head = head_of(text, (room - for_diagnostics) / 2);
    tail = tail_of(text, (room - for_diagnostics) / 2);
    std::string_view middle = text.substr(head.size(), text.size() - head.size() - tail.size());
    diagnostics = diagnostics_of(middle, for_diagnostics);
    if (!diagnostics.empty()) break;
  }
  size_t left_out = count - text::count_chars(head) - text::count_chars(tail);
  if (diagnostics.empty()) return fmt::format("{}\n[... {} characters left out ...]\n{}", head, left_out, tail);
  return fmt::format("{}\n[... {} characters left out, with these lines in them ...]\n{}[...]\n{}", head, left_out,
                     diagnostics, tail);
}

}  // namespace harn::builtins
