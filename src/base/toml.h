#pragma once

// The one way we include toml++: its configuration must be the same in every file, because its inline
// functions are. Costs seconds to compile: only for .cpp files that parse TOML.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
