#pragma once

#include "cli/options.h"

namespace harn::cli {

// `harn prompt cache FILE`: how much of each request to a model in a recording was the same, from its first byte on, as in the request before.
int prompt_cache(const Arguments& arguments);

}  // namespace harn::cli
