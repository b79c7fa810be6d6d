#pragma once

#include <string>
#include <vector>

#include "vm/error.h"

// Where an error has come from. It is kept as places in code (TraceFrame, error.h), which cost little to note; text is made
// of them when somebody is shown the error.
namespace harn::vm {

// The code of the error that a program ends with in which all tasks wait for ever.
inline constexpr std::string_view kDeadlockCode = "deadlock";

struct Task;

// "  at divide (script.harn:3:5)" lines, innermost first. The middle of a long trace is left out.
std::string trace_text(const ErrorObject& error);
// The error leaves a frame. Keeps the memory of a trace bounded.
void note_frame(ErrorObject& error, TraceFrame frame);
// The error leaves this task for the one that waited for it.
void note_task(ErrorObject& error, uint64_t task);
// Where a task that waits is, as lines of a trace, each after a newline.
std::string stack_text(const Task& task);
// The path of the file whose code runs: of the program's own, not of the library's. Empty where that is in no file.
std::string_view calling_source(const Task& task);

}  // namespace harn::vm
