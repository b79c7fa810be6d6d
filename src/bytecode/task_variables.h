#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/code.h"

namespace harn::bytecode {

// The program variables that code in a task other than the first may read or write, in ascending order:
// those that closures, methods, generators and functions used as values can reach, and types, which a task finds by
// name when it reads a value from bytes. A child task gets only these, so that a list the main program keeps growing is
// not copied for every task it starts.
std::vector<uint32_t> task_variables(const Program& program);

// The program variables that one function and what it calls by name may use, without functions that are declared
// once and so are the same in every task.
struct ReachedVariables {
  std::vector<uint32_t> changing;  // written by functions, or more than once
  std::vector<uint32_t> fixed;     // written once, when the program starts
};
ReachedVariables reached_variables(const Program& program, const Code& code);

}  // namespace harn::bytecode
