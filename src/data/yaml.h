#pragma once

#include <string>
#include <string_view>

#include "data/format_error.h"
#include "vm/value.h"

// YAML text from values and back, by the core schema of YAML 1.2.
namespace harn::data {

// The value of a text with one document; nil for one without. Aliases share the value of their anchor.
Parsed<vm::Value> parse_yaml(std::string_view text);

// Appends the value in block style. Fails when it nests too deeply or grows too large; `out` is then unusable.
Written append_yaml(std::string& out, const vm::Value& value);

}  // namespace harn::data
