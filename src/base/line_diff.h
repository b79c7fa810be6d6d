#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// Which lines of a text became which of another.
namespace harn::line_diff {

enum class Mark : uint8_t { Same, Removed, Added };

struct Edit {
  Mark mark;
  std::string_view line;  // points into what was given
};

// The edits that lead from `before` to `after`, in order. The longest common part is found where that is cheap; texts too
// big for it are first split at lines that both have once, so the cost stays near linear and the result near the best.
std::vector<Edit> edits(std::span<const std::string_view> before, std::span<const std::string_view> after);

}  // namespace harn::line_diff
