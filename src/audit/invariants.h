#pragma once

#include <string>

#include "compile/analysis.h"

// `@invariant`: what a function, tool or pipeline promises about everything that it may come to do. Each handler becomes a
// graph of steps (graph.h); every way through it and through what it calls is gone (explore.h), and each rule looks at the
// calls and assignments on it (invariant_rules.h).
//
//   compile::MakeAnalysis analyses[] = {audit::check_invariants()};
namespace harn::audit {

// Which to check; an empty name stands for all.
struct InvariantChoice {
  std::string name = {};     // "fs.writes"
  std::string handler = {};  // of a fn, tool or pipeline
  // Handlers that were looked at, for whoever wants to say that all is well; may be null.
  size_t* checked = nullptr;
};

compile::MakeAnalysis check_invariants(InvariantChoice choice = {});

}  // namespace harn::audit
