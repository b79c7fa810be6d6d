#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace harn::cli {

// One file as text, for commands that look at it alone; `-` is standard input, called <stdin>.
Result<SourcePtr> read_source(std::string_view path);

}  // namespace harn::cli
