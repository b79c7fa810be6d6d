#pragma once

#include <cstdint>

#include "vm/builtin.h"

// Random numbers: xoshiro256**.
namespace harn::builtins {

uint64_t next_random(uint64_t (&state)[4]);
// 0 .. bound - 1, all equally likely; any 64-bit number when bound is 0.
uint64_t random_below(uint64_t (&state)[4], uint64_t bound);

// The program's own generator, seeded by the host when it is first used.
uint64_t (&program_state(vm::Vm& vm))[4];

}  // namespace harn::builtins
