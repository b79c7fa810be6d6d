#pragma once

#include "compile/resolver.h"

namespace harn::compile {

// Variables of a main script that no function touches need not be program variables: they become locals of its
// start. Names are bound by then, and stay bound to the same variables.
void keep_in_registers(const modules::Module& main, FunctionInfo& start, ProgramNames& names);

}  // namespace harn::compile
