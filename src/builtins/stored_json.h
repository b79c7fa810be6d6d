#pragma once

#include <string>

#include "vm/builtin.h"

// Values as the JSON text that is kept of them. NaN and infinities, which JSON has no numbers for, and what is no data
// (functions, channels, ...) are refused: `by` and `what` name the function and its argument in the error, which says where
// in the value it is.
namespace harn::builtins {

// For texts that others read, too (events, memories): that of `json_stringify`. Enums, pairs and iterators, which would be
// null there, are refused.
vm::Outcome<std::string> stored_json(std::string_view by, const vm::Value& value, std::string_view what);

// For files of our own: what JSON would change is `{"$harn": BASE64}` with its lossless encoding (data/encoding.h).
vm::Outcome<std::string> exact_json(vm::Call& call, const vm::Value& value, std::string_view what);
// The value of such a text, from what `parse_json` made of it. Fails when somebody has changed an encoding, or the program
// has the type of a struct or enum no more; `what` says which value it is.
vm::Outcome<vm::Value> exact_value(vm::Call& call, const vm::Value& parsed, std::string_view what);

// Such texts, parsed, in one file: whole floats stay floats.
vm::Outcome<std::string> exact_file(vm::Call& call, const vm::Value& parsed);

}  // namespace harn::builtins
