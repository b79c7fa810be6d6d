#include "base/line_diff.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace harn::line_diff {

namespace {

using Lines = std::span<const std::string_view>;

// Beyond this many pairs of lines a part is split, or shown as replaced.
constexpr size_t kMostPairs = 1'000'000;

void add(std::vector<Edit>& out, Mark mark, Lines lines) {
  for (std::string_view line : lines) out.push_back({mark, line});
}

// By the longest common subsequence; where both ways are as good, the old line goes first.
void match_all(std::vector<Edit>& out, Lines a, Lines b) {
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
      out.push_back({Mark::Same, a[i]});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      out.push_back({Mark::Removed, a[i++]});
    } else {
      out.push_back({Mark::Added, b[j++]});
    }
  }
}

struct Pair {
  size_t a, b;
};

// The lines that each side has exactly once.
std::vector<Pair> once_in_both(Lines a, Lines b) {
  struct Places {
    size_t in_a = 0, in_b = 0, b_place = 0;
  };
  std::unordered_map<std::string_view, Places> places;
  for (std::string_view line : a) ++places[line].in_a;
  for (size_t j = 0; j < b.size(); ++j) {
    auto found = places.find(b[j]);
    if (found == places.end()) continue;
    ++found->second.in_b;
    found->second.b_place = j;
  }
  std::vector<Pair> out;
  for (size_t i = 0; i < a.size(); ++i) {
    const Places& line = places[a[i]];
    if (line.in_a == 1 && line.in_b == 1) out.push_back({i, line.b_place});
  }
  return out;
}

// The most of them that keep their order on both sides (longest increasing subsequence by `b`).
std::vector<Pair> in_order(const std::vector<Pair>& pairs) {
  std::vector<size_t> ends;  // of the best row of each length: its last pair
  std::vector<std::optional<size_t>> before(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto place =
        std::lower_bound(ends.begin(), ends.end(), pairs[i].b, [&](size_t end, size_t b) { return pairs[end].b < b; });
    if (place != ends.begin()) before[i] = *(place - 1);
    if (place == ends.end()) ends.push_back(i);
    else *place = i;
  }
  std::vector<Pair> out;
  for (auto at = ends.empty() ? std::nullopt : std::optional(ends.back()); at; at = before[*at]) {
    out.push_back(pairs[*at]);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

enum class Split : bool { No, Yes };

void match(std::vector<Edit>& out, Lines a, Lines b, Split may_split) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  add(out, Mark::Same, a.first(head));
  a = a.subspan(head), b = b.subspan(head);
  while (tail < a.size() && tail < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  Lines same = a.last(tail);
  a = a.first(a.size() - tail), b = b.first(b.size() - tail);

  if (a.size() * b.size() <= kMostPairs) {
    match_all(out, a, b);
  } else if (may_split == Split::Yes) {
    size_t i = 0, j = 0;
    for (Pair anchor : in_order(once_in_both(a, b))) {
      match(out, a.subspan(i, anchor.a - i), b.subspan(j, anchor.b - j), Split::No);
      out.push_back({Mark::Same, a[anchor.a]});
      i = anchor.a + 1, j = anchor.b + 1;
    }
    match(out, a.subspan(i), b.subspan(j), Split::No);
  } else {
    add(out, Mark::Removed, a);
    add(out, Mark::Added, b);
  }
  add(out, Mark::Same, same);
}

}  // namespace

std::vector<Edit> edits(Lines before, Lines after) {
  std::vector<Edit> out;
  out.reserve(std::max(before.size(), after.size()));
  match(out, before, after, Split::Yes);
  return out;
}

}  // namespace harn::line_diff
