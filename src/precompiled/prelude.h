#pragma once

#include <string_view>

// The prelude as it was compiled when Harn was built.
namespace harn::precompiled {

// The bytes of a part (bytecode/program_bytes.h), named as in builtins::load_prelude. Empty when there is no such part. They stay
// where they are for as long as the process lives.
std::string_view prelude_part(std::string_view name);

}  // namespace harn::precompiled
