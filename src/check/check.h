#pragma once

#include "compile/analysis.h"

// The type checker: finds out before a program runs where a value cannot be what is asked of it.
//
//   compile::CompileOptions options;
//   options.analyses = check::kTypeChecker;
namespace harn::check {

std::unique_ptr<compile::Analysis> make_type_checker(const compile::ResolvedProgram& program);

inline const compile::MakeAnalysis kTypeChecker[] = {make_type_checker};

}  // namespace harn::check
