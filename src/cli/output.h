#pragma once

#include <string>
#include <string_view>

#include "diag/diagnostic.h"

// What commands print. Reports go to standard output, everything about problems to standard error.
namespace harn::cli {

void write_out(std::string_view text);
void write_error(std::string_view text);
// Writes what is still buffered. Changes the exit code when standard output cannot take it.
int finish_output(int exit_code);
// The exit code for standard output that failed with `error_number`; says why unless the reader
// simply went away.
int output_failed(int error_number);

// Colours only on a terminal that knows them, and never against NO_COLOR.
diag::Colour colour_of(int fd);
// "error", coloured when standard error is a terminal.
std::string_view error_word();

// Prints `error: MESSAGE`; the value is kFailure.
int fail_with(std::string_view message);
// The same for a program that a recording or a state is of and that cannot be read.
int fail_without_program(std::string_view message, bool was_told_where);

}  // namespace harn::cli
