#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Files as the commands use them.
namespace harn::cli {

// "no such file or directory": the system's text, as it reads inside a sentence.
std::string reason(int error_number);
std::string reason_of_signal(int number);

// Errors read "cannot read PATH: reason".
Result<std::string> read_file(const std::string& path);
Result<std::string> read_standard_input();

// Replaces a file in one step: a reader sees the old text or the new one, never a part, whatever
// happens. Keeps its permissions. A symbolic link stays one: its target is replaced.
Result<void> replace_file(const std::string& path, std::string_view text);
// For reports: creates or overwrites.
Result<void> write_file(const std::string& path, std::string_view text);

// Absolute and without links; nothing when there is no such file.
std::optional<std::string> real_path(const std::string& path);
bool exists(const std::string& path);
bool is_directory(const std::string& path);

// The files among `paths`, and the *.harn files below the directories, in name order, each once.
// Hidden directories are left out. It is an error when a path is missing or a directory holds none.
Result<std::vector<std::string>> find_sources(const std::vector<std::string_view>& paths);

}  // namespace harn::cli
