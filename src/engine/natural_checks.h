#pragma once

#include "compile/analysis.h"

// Natural blocks whose front matter is written out: what would fail when the block is reached is told before. As an analysis it is asked by
// `harn check` and by the language server; it reads no files.
namespace harn::engine {

std::unique_ptr<compile::Analysis> make_natural_checks(const compile::ResolvedProgram& program);

}  // namespace harn::engine
