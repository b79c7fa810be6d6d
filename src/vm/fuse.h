#pragma once

#include <cstdint>

#include "bytecode/code.h"
#include "vm/fused.def"

// Going from one instruction to the next costs the interpreter more than most of them do, so neighbours that are
// often seen together are run as one. The bytecode does not know: both stay where they are in the linked code
// (instruction.h), and only the number of the first says that the second is done with it. A jump to the second finds
// it as it was. What the fused code does not do in line it leaves to the two instructions themselves, so that they
// alone decide what a program sees.
namespace harn::vm {

// Numbers of fused instructions follow those of bytecode::Op.
enum class FusedOp : uint16_t {
  BeforeFirst = static_cast<uint16_t>(bytecode::Op::Count) - 1,
#define HARN_USER(first, second) first##Then##second,
#define HARN_MAKER(first) HARN_FUSED_USERS(HARN_USER, first)
  HARN_FUSED_MAKERS(HARN_MAKER)
#undef HARN_MAKER
#undef HARN_USER
#define HARN_UPDATE(first, second, third) first##Then##second##Then##third,
      HARN_FUSED_UPDATES(HARN_UPDATE)
#undef HARN_UPDATE
#define HARN_PATH(first, second) first##Then##second##OfIt,
          HARN_FUSED_PATHS(HARN_PATH)
#undef HARN_PATH
#define HARN_LOAN(first) first##ForCall,
              HARN_FUSED_LOANS(HARN_LOAN)
#undef HARN_LOAN
#define HARN_CHAIN(first, second) first##And##second,
                  HARN_FUSED_CHAINS(HARN_CHAIN)
#undef HARN_CHAIN
};

// The number for the instruction at this word: its own, or that of it and the next ones.
uint16_t fused_op(const bytecode::Code& code, uint32_t at);

}  // namespace harn::vm
