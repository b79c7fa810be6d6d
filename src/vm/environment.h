#pragma once

#include "vm/function.h"
#include "vm/globals.h"
#include "vm/handle.h"

// Program variables that travel with a function.
//
// A function that a task gets from another one (in a message, as a result) goes on using the top-level
// variables of the task it came from, as they were then. Such a closure is bound to an Environment. Calling it
// switches the running task's variables until it returns (Interpreter::enter_environment); functions that are
// made meanwhile are bound to it too. Nothing else in the interpreter knows of it: calls of bound closures
// never take the fast path, because their prototype (Prototype::bound_twin) accepts no count of arguments as exact.
namespace harn::vm {

struct Environment : HandleObject {
  GlobalsRef globals;  // empty while a task runs with them
};
extern const HandleType kEnvironmentType;

Ref<Environment> new_environment(GlobalsRef globals);

// The closure's environment; null when it uses those of the task that runs it.
Environment* environment_of(const ClosureObject* closure);
// A copy of the closure that is bound to the environment.
Ref<ClosureObject> bind_closure(ClosureObject* closure, Environment& environment);

}  // namespace harn::vm
