#pragma once

#include "syntax/ast.h"

namespace harn::compile {

// What the evaluation of an expression may run: statements of this function, which may assign its variables; or
// any code, which may assign all others too.
enum class Runs { Statements, Code };
bool may_run(const syntax::Node* node, Runs what);

}  // namespace harn::compile
