#pragma once

#include "bytecode/code.h"
#include "syntax/ast.h"

namespace harn::compile {

// Trees live as long as anything that is compiled from them, so their addresses tell declarations apart.
inline bytecode::DeclarationId declaration_id(const syntax::Node& node) {
  return reinterpret_cast<bytecode::DeclarationId>(&node);
}

}  // namespace harn::compile
