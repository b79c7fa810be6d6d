#pragma once

#include "vm/error.h"
#include "vm/vm.h"

// The end of a pipeline.
namespace harn::builtins {

// Lets the callback that `pipeline_on_finish` was given have its say, once: what the program ends with. On the root task, when
// the entry pipeline has returned `value`.
vm::Outcome<vm::Value> finish_pipeline(vm::Vm& vm, vm::Value value);

}  // namespace harn::builtins
