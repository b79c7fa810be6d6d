#pragma once

#include <string>

#include "vm/builtin.h"

namespace harn::builtins {

// A value as the JSON text that is kept of it: that of `json_stringify`, except that what is no data (functions, channels,
// ...) is refused rather than kept as a text that nobody can use. `what` names the argument in the error.
vm::Outcome<std::string> stored_json(vm::Call& call, const vm::Value& value, std::string_view what);

}  // namespace harn::builtins
