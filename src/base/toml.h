#pragma once

// The one way we include toml++: its configuration must be the same in every file, because its inline
// functions are. Costs seconds to compile: only for .cpp files that parse TOML.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Its asserts fail on bad documents (`[=`) that its next lines go on to report as an error.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
