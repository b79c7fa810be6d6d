#include "cli/diff.h"

#include <algorithm>
#include <vector>

#include "base/fmt.h"

namespace harn::cli {

namespace {

constexpr size_t kContext = 2;
constexpr size_t kMostLines = 60;
constexpr size_t kLongestLine = 400;
// Beyond this many pairs of lines the middle is shown as replaced, not matched line by line.
constexpr size_t kMostPairs = 1'000'000;

using Lines = std::vector<std::string_view>;

// A text that does not end in a line end differs from one that does; the note makes that visible.
Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == text.npos) {
      out.push_back(text);
      out.push_back("\\ no line end here");
      break;
    }
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return out;
}

struct Edit {
  char mark;  // ' ', '-' or '+'
  std::string_view line;
};

void add(std::vector<Edit>& out, char mark, std::span<const std::string_view> lines) {
  for (std::string_view line : lines) out.push_back({mark, line});
}

// Longest common subsequence of the parts that differ.
void match(std::vector<Edit>& out, std::span<const std::string_view> a, std::span<const std::string_view> b) {
  if (a.size() * b.size() > kMostPairs) {
    add(out, '-', a);
    add(out, '+', b);
    return;
  }
  size_t width = b.size() + 1;
  std::vector<uint32_t> common((a.size() + 1) * width);
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i * width + j] = a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                                           : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      out.push_back({' ', a[i]});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      out.push_back({'-', a[i++]});
    } else {
      out.push_back({'+', b[j++]});
    }
  }
}

std::string show(const std::vector<Edit>& edits) {
  std::vector<bool> shown(edits.size());
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    size_t from = i > kContext ? i - kContext : 0;
    size_t to = std::min(edits.size(), i + kContext + 1);
    std::fill(shown.begin() + static_cast<ptrdiff_t>(from), shown.begin() + static_cast<ptrdiff_t>(to), true);
  }
  std::string out;
  size_t count = 0;
  for (size_t i = 0; i < edits.size(); ++i) {
    if (!shown[i]) {
      if (i > 0 && shown[i - 1]) out += "  ...\n";
      continue;
    }
    if (++count > kMostLines) return out + "  ... (more lines differ)\n";
    out += fmt::format("{}{}\n", edits[i].mark, edits[i].line.substr(0, kLongestLine));
  }
  return out;
}

}  // namespace

std::string diff(std::string_view expected, std::string_view actual) {
  if (expected == actual) return "";
  Lines a = lines_of(expected), b = lines_of(actual);
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  std::span<const std::string_view> left(a), right(b);
  std::vector<Edit> edits;
  add(edits, ' ', left.first(head));
  match(edits, left.subspan(head, a.size() - head - tail), right.subspan(head, b.size() - head - tail));
  add(edits, ' ', left.last(tail));
  return show(edits);
}

}  // namespace harn::cli
