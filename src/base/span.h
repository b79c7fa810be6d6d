#pragma once

#include <cstdint>

namespace harn {

// A half-open range of byte offsets in one source file.
struct Span {
  uint32_t start = 0;
  uint32_t end = 0;

  constexpr uint32_t length() const { return end - start; }
  friend constexpr bool operator==(Span, Span) = default;
};

// The smallest span that covers both.
constexpr Span cover(Span a, Span b) { return {a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end}; }

}  // namespace harn
