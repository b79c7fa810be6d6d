#pragma once

#include <string>
#include <string_view>

namespace harn::cli {

// The lines that differ, as `-` (expected) and `+` (actual) with a little around them. Empty when
// the texts are equal.
std::string diff(std::string_view expected, std::string_view actual);

}  // namespace harn::cli
