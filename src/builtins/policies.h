#pragma once

#include "vm/vm.h"

// Hooks of a program about what it may do.
namespace harn::builtins {

// From now on hooks of PermissionAsked and OnApprovalRequested hear of what the gate asks about (effects/approval.h).
void hear_of_approvals(vm::Vm& vm);

}  // namespace harn::builtins
