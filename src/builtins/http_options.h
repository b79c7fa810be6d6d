#pragma once

#include <string>

#include "effects/http.h"
#include "vm/builtin.h"

namespace harn::builtins {

// Reads the options dict (nil: none) of a request.
vm::Outcome<effects::HttpPlan> read_http_options(std::string method, std::string url, const vm::Value& options);

}  // namespace harn::builtins
