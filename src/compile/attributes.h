#pragma once

#include "base/source.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace harn::compile {

// Reports attributes that do not exist or cannot stand on this declaration.
void check_attributes(const syntax::Node& node, const SourcePtr& source, diag::Sink& sink);

}  // namespace harn::compile
