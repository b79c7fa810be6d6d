#pragma once

#include <string_view>

namespace harn::compile {

// The name that does here what `name` does in other languages; empty when we know of none.
std::string_view meant_by(std::string_view name);
// The same for types.
std::string_view type_meant_by(std::string_view name);
// Whether what the library or a host hands to callbacks goes by that type; programs may name it without declaring it.
bool is_handed_in(std::string_view type);

}  // namespace harn::compile
