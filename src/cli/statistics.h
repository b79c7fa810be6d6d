#pragma once

#include <vector>

namespace harn::cli {

// The value that `percent` of the sorted values do not exceed (nearest rank). 0 when there are
// none.
inline double percentile(const std::vector<double>& sorted, int percent) {
  if (sorted.empty()) return 0;
  size_t rank = (sorted.size() * static_cast<size_t>(percent) + 99) / 100;
  return sorted[rank > 0 ? rank - 1 : 0];
}

}  // namespace harn::cli
