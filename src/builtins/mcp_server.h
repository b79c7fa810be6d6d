#pragma once

#include "vm/error.h"
#include "vm/vm.h"

// Programs that are served over the Model Context Protocol.
namespace harn::builtins {

// When the program has run, on the root task: answers its client (effects/mcp_peer.h) until that has gone. Fails for a program that offers
// nothing.
vm::Outcome<vm::Value> serve_mcp_peer(vm::Vm& vm);

}  // namespace harn::builtins
