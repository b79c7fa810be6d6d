#pragma once

#include "compile/scope.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"

namespace harn::compile {

// Reports hooks of steps that no persona has: they would never be called. Only where the persona is declared in the same
// module, and no other persona that the pattern fits has the step.
void check_step_hooks(const modules::Module& module, const Resolution& resolution, diag::Sink& sink);

}  // namespace harn::compile
