#pragma once

#include "modules/graph.h"

namespace harn::cli {

// Whether the program's entry holds a `return`, so that its value is an answer to the caller and
// not what its last expression happened to be.
bool entry_returns(const modules::Module& main);

}  // namespace harn::cli
