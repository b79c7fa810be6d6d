#pragma once

#include <memory>

#include "bytecode/code.h"
#include "vm/value.h"

namespace harn::vm {

// Whether a value is of a type; `root`: the whole type that it is a part of. A collection that fits remembers that
// (known_type.h), so the next time it is one comparison.
bool fits(const Value& value, const bytecode::TypeCheck& type, const bytecode::TypeCheckPtr& root);

}  // namespace harn::vm
