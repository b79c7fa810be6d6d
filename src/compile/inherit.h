#pragma once

#include "diag/diagnostic.h"
#include "modules/graph.h"

namespace harn::compile {

// Gives each pipeline that `extends` another and overrides parts of it the body it stands for: the
// overrides, the parent's statements, then its own.
void apply_inheritance(modules::Module& module, diag::Sink& sink);

}  // namespace harn::compile
