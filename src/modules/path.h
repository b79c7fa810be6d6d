#pragma once

#include <string>
#include <string_view>

// Paths as text: the front end does no I/O.
namespace harn::modules::path {

std::string join(std::string_view directory, std::string_view path);  // an absolute path wins
std::string normalize(std::string_view path);                         // folds `.` and `..`
std::string directory(std::string_view path);                         // "." for a bare name

// The folder above; ".." above a relative path's first folder.
std::string parent(std::string_view folder);

}  // namespace harn::modules::path
