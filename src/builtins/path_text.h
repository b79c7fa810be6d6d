#pragma once

#include <string>
#include <string_view>
#include <vector>

// Paths as text, with `/` between segments; backslashes are read as slashes.
namespace harn::builtins {

std::string to_posix(std::string_view path);
// `/...` or `X:/...`; expects slashes.
bool is_absolute(std::string_view path);
// The part of an absolute path before its first segment: `/`, `X:/`, or nothing.
std::string_view root_of(std::string_view path);
// The segments that are not empty, without the root.
std::vector<std::string_view> segments_of(std::string_view path);
// Folds `.` and `..`.
std::string normalize(std::string_view path);
// The way from `base` to `path`, both normalised and both absolute or both relative; false when
// there is none without knowing more.
bool relative_to(std::string_view path, std::string_view base, std::string& out);

}  // namespace harn::builtins
