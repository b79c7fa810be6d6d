#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/code.h"
#include "vm/value.h"

// Code as the interpreter reads it.
namespace harn::vm {

struct InlineCache;
class BuiltinTable;

// A word of bytecode, made twice as wide when the code is linked: registers and constants are offsets in
// bytes, jumps and indexes of second words are pointers. What the loop has to do per operand is one load. There is
// one for each word, so places in the code have the same numbers in both.
union Instruction {
  // Operands: numbers are times kScale, too.
  static constexpr uint32_t kScale = sizeof(Value);
  struct {
    uint16_t op, a, b, c;
  };
  struct {
    uint16_t op_again, a_again;
    union {
      uint32_t index;  // Bx
      int32_t number;  // sBx and sJ
    };
  };
  // Second and third words.
  uint64_t x;
  const Instruction* target;
  InlineCache* cache;
  const Builtin* builtin;

  int64_t amount() const { return static_cast<int16_t>(c); }  // AddInt
};
static_assert(sizeof(Instruction) == 8);

// The pointers are into the result, the caches and the table, which stay where they are.
std::vector<Instruction> widen(const bytecode::Code& code, InlineCache* caches, const BuiltinTable& builtins);

}  // namespace harn::vm
