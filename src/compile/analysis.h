#pragma once

#include <functional>
#include <memory>

#include "compile/resolver.h"

namespace harn::compile {

// A program whose names are resolved, as those see it who only want to say something about it.
struct ResolvedProgram {
  const ProgramNames& names;
  const Catalog& catalog;

  const Bindings& bindings(const modules::Module& module) const { return names.bindings.at(&module); }
};

// Something that finds problems in programs beyond those of names: the type checker, the lints. It is asked about
// every module that does not come with Harn, between the resolver and the code generator, also when there are errors
// already; reports that only a syntax error has caused are dropped (modules::Doubts). An error keeps the program from
// being compiled.
//
// One is made for each program, or for each batch of programs: what it learns about one module it may use for the next.
class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void inspect(const ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) = 0;
};

using MakeAnalysis = std::function<std::unique_ptr<Analysis>(const ResolvedProgram& program)>;

}  // namespace harn::compile
