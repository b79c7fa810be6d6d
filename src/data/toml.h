#pragma once

#include <string>

#include "data/format_error.h"
#include "vm/value.h"

// TOML text from values and back.
namespace harn::data {

// The value of a document: `text` is a string. Dates and times are strings.
Parsed<vm::Value> parse_toml(const vm::Value& text);

// Appends a dict or struct. Fails for other values, for nil inside, and when it nests too deeply or grows too large;
// `out` is then unusable.
Written append_toml(std::string& out, const vm::Value& value);

}  // namespace harn::data
