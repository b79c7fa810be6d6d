#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "vm/error.h"

namespace harn::cli {

// What a finished run means to whoever started it.
struct Ending {
  enum class Kind { Finished, Failed, Exited, Stopped };
  Kind kind = Kind::Finished;
  int exit_code = 0;
  std::string message;  // for standard error: the error, or what a Result.Err holds
};

// "Error: MESSAGE" and the "  at" lines; with `snippet`, the source line below them.
enum class Snippet : bool { No, Yes };
std::string error_text(const vm::ErrorObject& error, Snippet snippet, diag::Colour colour);

// `answers`: the program returned its value on purpose (see entry_returns), so that an int is its
// exit code and Result.Err a failure.
enum class Answers : bool { No, Yes };
Ending ending_of(const vm::Outcome<vm::Value>& outcome, Answers answers, Snippet snippet, diag::Colour colour);

}  // namespace harn::cli
