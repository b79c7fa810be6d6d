#pragma once

#include "vm/error.h"
#include "vm/value.h"

// Values on their way from one task to another.
namespace harn::vm {

// A value that another task may own. Plain data is frozen: it stays where it is, is counted
// atomically from now on, and whoever wants to change it makes a copy. What has state of its own (the
// variables of a closure, generators, iterators, random number generators) is copied. Handles are
// shared. Fails only for a generator that is running.
Outcome<Value> transfer(Value value);

}  // namespace harn::vm
