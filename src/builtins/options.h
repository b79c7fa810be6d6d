#pragma once

#include <span>
#include <string_view>

#include "vm/builtin.h"

// Options and other dicts that programs write. A name that nobody knows is a slip, and would be ignored silently: it is refused, and
// told with the name that was probably meant.
namespace harn::builtins {

// `noun` is what such a name is called: "option".
vm::Outcome<void> check_names(std::string_view by, std::string_view noun, const vm::DictObject* given,
                              std::span<const std::string_view> known);
// The options that an argument is, with no others than the row's signature writes: `options?: {max_bytes?: int}`. Null: there are none.
// `i` counts parameters, as the arguments of a function are.
vm::Outcome<const vm::DictObject*> options_of(vm::Call& call, uint32_t i);

}  // namespace harn::builtins
