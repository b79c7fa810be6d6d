#pragma once

#include <string>
#include <vector>

#include "vm/error.h"

namespace harn::vm {

struct TraceLine {
  std::string function;
  std::string file;
  uint32_t line;
  uint32_t column;
  uint32_t offset;
};

// The frames an error left, innermost first.
std::vector<TraceLine> trace_lines(const ErrorObject& error);
// "  at divide (script.harn:3:5)" lines.
std::string trace_text(const ErrorObject& error);

}  // namespace harn::vm
