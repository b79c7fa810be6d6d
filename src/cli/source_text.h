#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace harn::cli {

// One file as text, for commands that look at it alone; `-` is standard input, called <stdin>.
Result<SourcePtr> read_source(std::string_view path);

// A text as a literal of the language, for the few lines that a command runs.
std::string literal_of(std::string_view text);

}  // namespace harn::cli
