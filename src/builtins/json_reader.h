#pragma once

#include "builtins/json_text.h"

namespace harn::builtins {

// Nesting that json_parse accepts.
constexpr size_t kMaxJsonDepth = 1000;

// Reads JSON exactly as RFC 8259 has it, one character at a time. The fast path in json_parse.cpp
// hands over here what it cannot answer itself: where and why a text is wrong, and integers beyond
// 64 bits.
std::expected<vm::Value, JsonError> read_json_exactly(std::string_view text);

// The number of a JSON number: an int when it is a whole number that fits 64 bits, else a float.
vm::Value json_number(std::string_view digits);

}  // namespace harn::builtins
