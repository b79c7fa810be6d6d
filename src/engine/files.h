#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Source files, and what is around them.
namespace harn::engine {

// "no such file or directory": the system's text, as it reads inside a sentence.
std::string reason(int error_number);
std::string reason_of_signal(int number);
// Of the last system call that failed, as "cannot ACTION PATH: reason".
std::unexpected<Error> io_error(std::string_view action, const std::string& path);

// Errors read "cannot read PATH: reason".
Result<std::string> read_file(const std::string& path);
Result<std::string> read_standard_input();

// Absolute and without links; nothing when there is no such file.
std::optional<std::string> real_path(const std::string& path);
bool exists(const std::string& path);
bool is_directory(const std::string& path);

// The programs below a folder in a fixed order, at most so many. Left out are folders that tools fill (`build`, `target`,
// `node_modules`), hidden ones, and what links lead to.
std::vector<std::string> programs_below(const std::string& folder, size_t most);

// Where copies of modules that come with a version of Harn are kept for editors to show: of the user, so that nobody else writes what
// they see. Empty: there is no such place.
std::string library_folder(std::string_view version);
// Has a file there with this text; false when it cannot be written.
bool keep_copy(const std::string& path, std::string_view text);

}  // namespace harn::engine
