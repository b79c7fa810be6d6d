#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bytecode/code.h"

// A compiled program as bytes, and back: the parts of the prelude are compiled when Harn is built (src/precompiled), so that
// a program that uses them does not wait for the compiler.
//
//   std::string bytes = program_bytes(*program);
//   auto same = read_program(bytes, source);   // verify() it if the bytes may not be ours
//
// Pure functions, for any thread. The bytes are for the same build only: builtins are numbers in them.
namespace harn::bytecode {

// All of its code must be of one source file, which is not part of the bytes.
std::string program_bytes(const Program& program);

// Null when the bytes are not whole. Each reading makes declarations (enums, structs) of its own.
std::unique_ptr<Program> read_program(std::string_view bytes, const SourcePtr& source);

}  // namespace harn::bytecode
