#pragma once

#include "diag/diagnostic.h"
#include "harn/harn.h"
#include "vm/error.h"

// Errors and diagnostics as the host sees them.
namespace harn::embed {

Error to_host(const vm::ErrorObject& error);
// An error of ours that no program has seen.
Error own_error(ErrorKind kind, std::string message);

// What a host function has failed with, for the program.
std::unexpected<vm::Thrown> to_program(const Error& error);

std::vector<Diagnostic> to_host(const std::vector<diag::Diagnostic>& diagnostics);

}  // namespace harn::embed
