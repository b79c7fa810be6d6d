#pragma once

#include "bytecode/code.h"
#include "bytecode/accesses.h"

// Functions that need more registers than the fields of an instruction can name.
//
// The code generator numbers registers as if there were any number of them. In a function that has too many,
// the first `near` stay registers; the others become *far*: items of a list that one register holds. An
// instruction that touches far registers is surrounded by copies:
//
//   Add r3 = r140 + r300        GetFar r121 = far 20
//                               GetFar r122 = far 180
//                               Add r3 = r121 + r122
//
// So no limit shows in the language, and code that fits pays nothing. The same goes for numbers that do not fit
// (the 70,000th constant): such an instruction becomes `Large`, which has a whole word for it.
namespace harn::compile {

// How many registers stay near when there are too many. The rest is room for the copies.
constexpr uint32_t kNearRegisters = 120;

// Rewrites the function's code. `wide`: the operands that were cut; `clears_scopes`: as in ModuleContext.
void use_far_registers(bytecode::Code& code, const bytecode::WideMap& wide, uint32_t near, bool clears_scopes);

}  // namespace harn::compile
