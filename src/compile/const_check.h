#pragma once

#include "compile/catalog.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"

namespace harn::compile {

// Folds the initialiser of every `const` in a module and reports those that are not constant. The
// program computes the value again when it runs: the expression is pure, so it is the same.
void check_constants(const modules::Module& module, const Catalog& catalog, diag::Sink& sink);

}  // namespace harn::compile
