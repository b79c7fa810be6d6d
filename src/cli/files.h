#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/files.h"

// Files as the commands use them.
namespace harn::cli {

using engine::exists;
using engine::is_directory;
using engine::read_file;
using engine::read_standard_input;
using engine::real_path;
using engine::reason;
using engine::reason_of_signal;

// Replaces a file in one step: a reader sees the old text or the new one, never a part, whatever
// happens. Keeps its permissions. A symbolic link stays one: its target is replaced.
Result<void> replace_file(const std::string& path, std::string_view text);
// The same for a file of ours, which may not be there yet: only its owner can read it.
Result<void> write_private_file(const std::string& path, std::string_view bytes);
// For reports: creates or overwrites.
Result<void> write_file(const std::string& path, std::string_view text);

// The files among `paths`, and the *.harn files below the directories, in name order, each once; where they are asked for, the
// templates (*.prompt), too. Hidden directories are left out. It is an error when a path is missing or a directory holds none.
enum class Templates : bool { No, Yes };
Result<std::vector<std::string>> find_sources(const std::vector<std::string_view>& paths,
                                              Templates templates = Templates::No);

}  // namespace harn::cli
