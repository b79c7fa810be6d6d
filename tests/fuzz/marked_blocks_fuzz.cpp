// Answers of models with blocks between markers: however a text is cut into pieces, the same is read of it, no marker is shown, and no block is made up.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/marked_blocks.h"

using namespace harn;
using data::BlockReader;

static constexpr data::BlockKind kKinds[] = {{"notes", "<<<NOTES_JSON>>>", "<<<END_NOTES_JSON>>>"},
                                             {"tool_calls", "<<<TOOL_CALLS_JSON>>>", "<<<END_TOOL_CALLS_JSON>>>"}};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size < 4) return 0;
  std::string_view text(reinterpret_cast<const char*>(input) + 4, size - 4);
  BlockReader whole(kKinds, {}, BlockReader::Keep::Yes);
  whole.add(text);
  whole.end();

  // Each piece by a reader of its own, as programs do it.
  data::BlockState state;
  std::string shown;
  uint32_t pace = input[0] | input[1] << 8 | input[2] << 16 | input[3] << 24;
  for (size_t at = 0; at < text.size();) {
    pace = pace * 1664525 + 1013904223;
    std::string_view piece = text.substr(at, 1 + (pace >> 24) % (1 + input[0]));
    BlockReader part(kKinds, state, BlockReader::Keep::No);
    part.add(piece);
    shown += part.text;
    state = part.state();
    at += piece.size();
  }
  BlockReader last(kKinds, state, BlockReader::Keep::No);
  last.end();
  shown += last.text;

  HARN_ASSERT(shown == whole.text, "pieces show something else than the whole");
  HARN_ASSERT(shown.size() <= text.size(), "something was shown that is not in the text");
  for (const data::BlockKind& kind : kKinds) {
    HARN_ASSERT(shown.find(kind.begin) == std::string::npos, "a begin marker was shown");
    HARN_ASSERT(shown.find(kind.end) == std::string::npos, "an end marker was shown");
  }
  for (const auto& block : whole.blocks)
    HARN_ASSERT(text.find(block.text) != std::string_view::npos, "a block was made up");
  return 0;
}
