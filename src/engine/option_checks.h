#pragma once

#include "compile/analysis.h"

// Options of calls of models and agents that do not exist: a misspelt name is told before a token is spent. The names are those that
// the library checks when such a call runs (std/prelude/model_options.harn).
namespace harn::engine {

std::unique_ptr<compile::Analysis> make_option_checks(const compile::ResolvedProgram& program);

}  // namespace harn::engine
