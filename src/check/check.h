#pragma once

#include "compile/analysis.h"

// The type checker: finds out before a program runs where a value cannot be what is asked of it.
//
//   compile::CompileOptions options;
//   options.analyses = check::kTypeChecker;
namespace harn::check {

std::unique_ptr<compile::Analysis> make_type_checker(const compile::ResolvedProgram& program);

// Beside the type checker: values from outside that are used without a look at their shape, in the modules that are meant.
compile::MakeAnalysis check_strictly(std::function<bool(const modules::Module&)> is_meant);

inline const compile::MakeAnalysis kTypeChecker[] = {make_type_checker};

}  // namespace harn::check
