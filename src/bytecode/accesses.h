#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bytecode/code.h"
#include "bytecode/op_facts.h"

// Which registers an instruction touches, as its row in opcodes.def says. For code in the making too, where a register
// may have a number that its field in the instruction cannot hold.
namespace harn::bytecode {

struct Accesses {
  std::vector<Access> reads;
  std::vector<Access> writes;
};
const Accesses& accesses_of(Op op);

// Operands of an instruction before they are cut to the size of their fields.
struct WideOperands {
  uint32_t a = 0;
  uint32_t b = 0;  // or Bx
  uint32_t c = 0;
};
// Of instructions whose operands do not fit, by place.
using WideMap = std::unordered_map<uint32_t, WideOperands>;
WideOperands operands_at(const Code& code, const WideMap& wide, uint32_t at);

// The registers that an access stands for: `count` from `first` on. Not for captures.
struct RegisterRange {
  uint32_t first;
  uint32_t count;
};
RegisterRange registers_of(Access access, const WideOperands& operands);

}  // namespace harn::bytecode
