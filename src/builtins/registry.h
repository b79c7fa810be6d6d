#pragma once

#include <memory>

#include "compile/catalog.h"
#include "vm/builtin.h"

namespace harn::bytecode {
struct Program;
}

namespace harn::builtins {

// All builtins, made on first use.
const vm::BuiltinTable& table();
// The same for the compiler.
const compile::Catalog& catalog();
// Compiles a part of the prelude: the builtins that are written in Harn.
std::unique_ptr<bytecode::Program> load_prelude(std::string_view part);

}  // namespace harn::builtins
