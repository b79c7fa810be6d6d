#pragma once

#include "vm/vm.h"

namespace harn::builtins {

// What supervisor_state gives, for every supervisor of the program, in the order they were started.
vm::Outcome<vm::Value> supervisor_states(vm::Vm& vm);

}  // namespace harn::builtins
