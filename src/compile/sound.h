#pragma once

#include <optional>

#include "bytecode/verify.h"

namespace harn::compile {

// Stops the process when the verifier has found something: code that the compiler made is sound, or the compiler is
// broken. `pass`: what has run last.
void require_sound(const std::optional<bytecode::Fault>& fault, const char* pass);

}  // namespace harn::compile
