#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/catalog.h"
#include "compile/scope.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"

// Names to variables: what the code generator starts from. The steps are run for all modules of a program, one after the
// other, because modules may import each other in circles (program.cpp).
namespace harn::compile {

// The program's variables so far: shared by the resolvers of all its modules.
struct ProgramNames {
  std::vector<std::string> globals;  // by index
  std::unordered_map<const modules::Module*, std::unordered_map<std::string_view, Variable*>> modules;
  std::unordered_map<const modules::Module*, Bindings> bindings;
  Resolution resolution;
  Variable* predefined[kPredefinedGlobals] = {};
  ProgramNames();
};

struct ResolveOptions {
  bool unknown_variables = true;  // report them (a run leaves them to the moment they are read)
  bool internal_names = false;    // prelude: names that begin with `__` are allowed
};

// A new program variable, not yet under any name.
Variable& new_global(ProgramNames& names, const modules::Module* module, syntax::Name name,
                     const syntax::Node* declaration);

// Declares a module's top-level names, then binds what it imports. Each step is done for all modules
// before the next, so that imports may be circular.
void declare_module(const modules::Module& module, ProgramNames& names);
void bind_imports(const modules::Module& module, ProgramNames& names, diag::Sink& sink);

// Binds every name in a module's tree to a variable, or to none for builtins and names nobody
// knows. Reports problems of names, arity, loops and yields.
FunctionInfo* resolve_module(const modules::Module& module, ProgramNames& names, const Catalog& catalog,
                             diag::Sink& sink, ResolveOptions options);

}  // namespace harn::compile
