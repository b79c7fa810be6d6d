#pragma once

#include "builtins/json_text.h"

namespace harn::builtins {

// Nesting that json_parse accepts.
constexpr size_t kMaxJsonDepth = 1000;

// The number of a JSON number: an int when it is a whole number that fits 64 bits, else a float.
vm::Value json_number(std::string_view digits);

}  // namespace harn::builtins
