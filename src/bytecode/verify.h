#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/accesses.h"
#include "bytecode/code.h"

// Whether the interpreter may run code. It checks nothing of what follows from the code alone (that a register exists,
// that it holds a cell, that a jump leads to an instruction), so code has to be right: that of the compiler, which a
// test run asks after every pass, and all the more code that comes from elsewhere.
//
// Sound code stays inside its frame, takes no value for what it is not, and can be stopped. Whether it does what its
// author meant is another question.
//
//   if (auto fault = verify(program, builtins)) return refuse(fault->text());
//
// Pure functions of their arguments, for any thread; the time is about linear in the size of the code.
namespace harn::bytecode {

enum class Wrong : uint8_t {
  Instruction,  // a word that is no instruction, or half of one
  Operand,      // a number that means nothing: no such constant, cache, builtin
  Register,     // one that the function does not have, or that this instruction must not name
  Content,      // a register that does not hold what the instruction reads
  Jump,         // a jump into the middle of an instruction, out of the function, or back without a look for a stop
  End,          // execution runs off the end
  Handler,      // ranges that overlap, or lead to no instruction
  CleanUp,      // clean-up code that is entered or left otherwise than by Gosub and EndGosub
  Capture,      // a closure's captures do not fit those of the function around it
  Parameters,
  Table,  // lines, arms, paths, checks
  Program,
};

struct Fault {
  Wrong wrong;
  std::string function;
  uint32_t word = 0;  // of the instruction, or whatever the table says
  std::string what;

  std::string text() const;  // "`f` at word 12: register 3 is read, but nothing was put there"
};

// What code refers to outside of itself.
struct Surroundings {
  uint32_t globals = 0;
  uint32_t builtins = 0;
  bool is_library = false;  // the prelude, which alone uses library functions
};

// All of a program. `builtins`: how many there are.
std::optional<Fault> verify(const Program& program, uint32_t builtins, bool is_library = false);

// One function without those inside it, while it is being made: operands that do not fit their fields are in `wide`, and
// what it captures is not known yet.
std::optional<Fault> verify_unfinished(const Code& code, const WideMap& wide, const Surroundings& surroundings);

// The words at which instructions begin, ascending. Only for code that is sound.
std::vector<uint32_t> instruction_starts(const Code& code);

}  // namespace harn::bytecode
