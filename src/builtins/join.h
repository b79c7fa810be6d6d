#pragma once

#include <string_view>

#include "vm/builtin.h"

namespace harn::builtins {

// The print forms of a list's items with the separator between them.
vm::Outcome<vm::Value> join_list(const vm::Value& list, std::string_view separator);

}  // namespace harn::builtins
