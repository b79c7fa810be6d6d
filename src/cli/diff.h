#pragma once

#include <string>
#include <string_view>

namespace harn::cli {

// The lines that differ, as `-` (expected) and `+` (actual) with a little around them. Empty when
// the texts are equal.
std::string diff(std::string_view expected, std::string_view actual);

// What `patch` takes: all changes of a file. Empty when the texts are equal.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace harn::cli
