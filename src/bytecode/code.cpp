#include "bytecode/code.h"

#include <algorithm>

namespace harn::bytecode {

static constexpr OpRow kRows[] = {
#define HARN_OPCODE(name, format, reads, writes, numbers, flow, fails, doc) \
  {#name, Format::format, reads, writes, numbers, Flow::flow, Fails::fails, doc},
#include "bytecode/opcodes.def"
#undef HARN_OPCODE
};

const OpRow& row(Op op) { return kRows[static_cast<size_t>(op)]; }

uint32_t Code::source_offset(uint32_t word) const {
  auto after = std::upper_bound(lines.begin(), lines.end(), word,
                                [](uint32_t w, const LineEntry& entry) { return w < entry.word; });
  return after == lines.begin() ? 0 : std::prev(after)->offset;
}

}  // namespace harn::bytecode
