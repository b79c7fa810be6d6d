#pragma once

#include <cstdint>
#include <string>

#include "syntax/tree.h"

// Not `harn::format`: that is the function of base/fmt.h.
namespace harn::formatter {

struct Options {
  uint32_t line_width = 100;
};

// The program in the one canonical layout. The tree must come from a parse without errors. Cannot fail; for any thread.
//
// The layout follows from the tree, the comments and the blank lines alone, never from where the
// author broke lines: so formatting the result again changes nothing.
std::string format(const syntax::Tree& tree, const Options& options = {});

}  // namespace harn::formatter
