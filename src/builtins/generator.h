#pragma once

#include <cstdint>

#include "vm/builtin.h"

// Random numbers: xoshiro256**.
namespace harn::builtins {

using RandomState = uint64_t*;  // four words

uint64_t next_random(RandomState state);
// 0 .. bound - 1, all equally likely; any 64-bit number when bound is 0.
uint64_t random_below(RandomState state, uint64_t bound);

}  // namespace harn::builtins
