#pragma once

#include "syntax/ast.h"

namespace harn::syntax {

// A string literal, plain or interpolated, that begins with a line that says `natural` and nothing else: a Natural block, where it is a
// statement of a function that is marked for them.
bool is_natural_text(const Node& node);

}  // namespace harn::syntax
