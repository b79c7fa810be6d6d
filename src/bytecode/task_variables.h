#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bytecode/code.h"

namespace harn::bytecode {

// The program variables that one function and what it calls by name may use, without functions that are declared
// once and so are the same in every task.
struct ReachedVariables {
  std::vector<uint32_t> changing;  // written by functions, or more than once
  std::vector<uint32_t> fixed;     // written once, when the program starts
};

// Which code uses which program variables. The program is read once, for any number of questions; it must stay.
class VariableUse {
 public:
  explicit VariableUse(const Program& program);
  ~VariableUse();

  // The variables that code in a task other than the first may read or write, in ascending order: those that closures,
  // methods, generators and functions used as values can reach, and types, which a task finds by name when it reads a
  // value from bytes. A child task gets only these, so that a list the main program keeps growing is not copied for
  // every task it starts.
  std::vector<uint32_t> of_tasks() const;
  ReachedVariables reached_from(const Code& code) const;

 private:
  class Analysis;
  std::unique_ptr<const Analysis> analysis_;
};

}  // namespace harn::bytecode
