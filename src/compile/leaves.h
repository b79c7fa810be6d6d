#pragma once

#include <functional>

#include "syntax/ast.h"

namespace harn::compile {

// Whether control never comes to the end of the block: each way through it ends in `return`, `throw`,
// `break`, `continue` or a call of which `never_returns` says so.
bool leaves(const syntax::Block& block, const std::function<bool(const syntax::Call&)>& never_returns);

}  // namespace harn::compile
