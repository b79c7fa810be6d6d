#pragma once

#include <string>
#include <vector>

#include "vm/error.h"

namespace harn::vm {

struct Task;

struct TraceLine {
  std::string function;  // "task vm_task_1" with line 0: the frames before were that task's
  std::string file;
  uint32_t line;
  uint32_t column;
  uint32_t offset;
};

// The frames an error left, innermost first.
std::vector<TraceLine> trace_lines(const ErrorObject& error);
// "  at divide (script.harn:3:5)" lines.
std::string trace_text(const ErrorObject& error);
// The error leaves this task for the one that waited for it.
void note_task(ErrorObject& error, uint64_t task);
// Where a task that waits is, as lines of a trace, each after a newline.
std::string stack_text(const Task& task);

}  // namespace harn::vm
