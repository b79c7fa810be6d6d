#pragma once

#include "compile/analysis.h"

// Options of calls of models and agents that do not exist: a misspelt name is told before a token is spent. The names are those that
// the library checks when such a call runs (std/prelude/model_options.harn).
namespace harn::engine {

// What the argument at a position of a builtin takes, with what each may be: "a number or string". Empty when that are no options of
// models or agents.
std::vector<std::pair<std::string_view, std::string>> model_options(std::string_view builtin, size_t position);

std::unique_ptr<compile::Analysis> make_option_checks(const compile::ResolvedProgram& program);

}  // namespace harn::engine
