#pragma once

#include <memory>

#include "compile/catalog.h"
#include "vm/builtin.h"

namespace harn::bytecode {
struct Program;
}

// All builtins together: as the VM looks them up, as the compiler does, and those that are written in Harn. The tables are
// made once per process, when first asked for, by any thread, and never change.
namespace harn::builtins {

// All builtins, made on first use.
const vm::BuiltinTable& table();
// The same for the compiler.
const compile::Catalog& catalog();
// Compiles a part of the prelude: the builtins that are written in Harn.
std::unique_ptr<bytecode::Program> load_prelude(std::string_view part);

}  // namespace harn::builtins
