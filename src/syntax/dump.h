#pragma once

#include <string>

#include "syntax/tree.h"

namespace harn::syntax {

// The tree as s-expressions, one top-level item after the other. Shows everything that has a
// meaning and nothing that is layout: two texts with equal dumps are the same program.
std::string dump(const Tree& tree);

}  // namespace harn::syntax
