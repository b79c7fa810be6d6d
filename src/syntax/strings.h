#pragma once

#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/span.h"

// What string literals mean: escapes, and the indent of `"""` strings.
namespace harn::syntax {

// Replaces escapes. The result is `raw` itself when there are none.
std::string_view decode_escapes(Arena& arena, std::string_view raw);

// A piece of literal text of a `"""` string; interpolations lie between the pieces.
struct TextPiece {
  std::string_view raw;
  std::string_view value;  // set by decode_multiline
  Span span = {};
};

// Takes the common indent away, the line end after the opening quotes, and the one before the
// closing quotes. Pieces are in order; the first begins at the opening quotes and the last ends at
// the closing quotes (either may be empty).
void decode_multiline(Arena& arena, std::span<TextPiece> pieces);

}  // namespace harn::syntax
