#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/code.h"

namespace harn::bytecode {

// The program variables that code in a task other than the first may read or write, in ascending order:
// those that closures, methods, generators and functions used as values can reach. A child task gets only
// these, so that a list the main program keeps growing is not copied for every task it starts.
std::vector<uint32_t> task_variables(const Program& program);

}  // namespace harn::bytecode
