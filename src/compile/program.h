#pragma once

#include <memory>

#include "bytecode/code.h"
#include "compile/catalog.h"
#include "compile/resolver.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"

namespace harn::compile {

struct CompileOptions {
  ResolveOptions resolve;
  bool hidden = false;  // prelude: left out of stack traces, no register variables
};

// Resolves and compiles a loaded program. Problems go to the sink; null when there were errors.
std::unique_ptr<bytecode::Program> compile_program(modules::Graph& graph, modules::Module& main,
                                                   const Catalog& catalog, diag::Sink& sink,
                                                   CompileOptions options = {});

// Only the checks: names, imports, arity.
void check_program(modules::Graph& graph, modules::Module& main, const Catalog& catalog,
                   diag::Sink& sink);

}  // namespace harn::compile
