#include "cli/diff.h"

#include <algorithm>
#include <vector>

#include "base/fmt.h"
#include "base/line_diff.h"

namespace harn::cli {

namespace {

constexpr size_t kContext = 2;
constexpr size_t kMostLines = 60;
constexpr size_t kLongestLine = 400;

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

using line_diff::Edit;
using line_diff::Mark;

char mark_of(Mark mark) { return mark == Mark::Same ? ' ' : mark == Mark::Removed ? '-' : '+'; }

std::string show(const std::vector<Edit>& edits) {
  std::vector<bool> shown(edits.size());
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == Mark::Same) continue;
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
    out += fmt::format("{}{}\n", mark_of(edits[i].mark), edits[i].line.substr(0, kLongestLine));
  }
  return out;
}

// Lines for a patch: the note about a missing line end belongs to the line before it.
Lines patch_lines(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    size_t end = text.find('\n');
    size_t size = end == text.npos ? text.size() : end + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

constexpr size_t kPatchContext = 3;

// `@@ -1,3 +1,4 @@` and the lines from `first` to `last`.
std::string hunk(const std::vector<Edit>& edits, size_t first, size_t last, size_t before, size_t after) {
  size_t removed = 0, added = 0;
  std::string lines;
  for (size_t i = first; i < last; ++i) {
    removed += edits[i].mark != Mark::Added;
    added += edits[i].mark != Mark::Removed;
    lines += mark_of(edits[i].mark);
    lines += edits[i].line;
    if (!edits[i].line.ends_with('\n')) lines += "\n\\ No newline at end of file\n";
  }
  // An empty side is named by the line before it.
  return fmt::format("@@ -{},{} +{},{} @@\n{}", before + (removed > 0), removed, after + (added > 0), added, lines);
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return "";
  Lines old_lines = patch_lines(before), new_lines = patch_lines(after);
  std::vector<Edit> edits = line_diff::edits(old_lines, new_lines);
  std::string out = fmt::format("--- {}\n+++ {}\n", path, path);
  size_t old_line = 0, new_line = 0, at = 0;
  auto pass = [&](size_t to) {
    for (; at < to; ++at) {
      old_line += edits[at].mark != Mark::Added;
      new_line += edits[at].mark != Mark::Removed;
    }
  };
  for (size_t change = 0; change < edits.size();) {
    if (edits[change].mark == Mark::Same) {
      ++change;
      continue;
    }
    // Changes with little between them share a hunk.
    size_t end = change + 1;
    for (size_t i = end; i < edits.size() && i < end + 2 * kPatchContext; ++i) {
      if (edits[i].mark != Mark::Same) end = i + 1;
    }
    size_t first = std::max(at, change > kPatchContext ? change - kPatchContext : 0);
    size_t last = std::min(edits.size(), end + kPatchContext);
    pass(first);
    out += hunk(edits, first, last, old_line, new_line);
    pass(last);
    change = last;
  }
  return out;
}

std::string diff(std::string_view expected, std::string_view actual) {
  if (expected == actual) return "";
  Lines before = lines_of(expected), after = lines_of(actual);
  return show(line_diff::edits(before, after));
}

}  // namespace harn::cli
