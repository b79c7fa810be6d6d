#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bytecode/code.h"
#include "compile/analysis.h"
#include "compile/catalog.h"
#include "compile/resolver.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"

// From loaded modules to a program: names are resolved, then code is generated. Problems of the program go to the sink as
// diagnostics; nothing else can fail. The trees of the graph must outlive the code, whose types point into them. One
// thread at a time for one graph.
namespace harn::compile {

// The variables of an interactive session: what one input declares, the later ones see.
struct SessionName {
  std::string name;
  uint32_t global = 0;
  bool is_mutable = false;
  const syntax::Node* declaration = nullptr;  // of a type; the session keeps the trees
};
struct Session {
  std::vector<std::string> globals;  // names by index; empty before the first input
  std::vector<SessionName> names;    // what is visible
  TypeBindings types;                // of the types that inputs have declared
};

struct CompileOptions {
  ResolveOptions resolve;
  Session* session = nullptr;              // extended by what the main module declares when it compiles
  bool hidden = false;                     // prelude: left out of stack traces, no register variables
  uint32_t near_registers = 0;             // for tests: see ModuleContext
  std::span<const MakeAnalysis> analyses;  // what else looks for problems
  // What a Batch does about code. Writing it finds problems of its own; only those who run programs keep it.
  enum class Code : uint8_t { NotWritten, Dropped, Kept };
  Code code = Code::Kept;
  // Asks after every pass whether the code is sound (bytecode/verify.h); a bug of the compiler stops the process then.
#ifdef HARN_SANITIZED
  bool verify = true;
#else
  bool verify = false;
#endif
};

// Resolves and compiles a loaded program. Problems, also those that loading found, go to the sink; null when there
// were errors.
std::unique_ptr<bytecode::Program> compile_program(modules::Graph& graph, const modules::Module& main,
                                                   const Catalog& catalog, diag::Sink& sink,
                                                   CompileOptions options = {});

// Programs that share modules: every module of a graph is resolved and compiled once, however many
// main modules import it. A command that reads many files loads them all into one graph and asks here
// for each.
class Batch {
 public:
  // The graph must outlive the batch and stay as it is.
  Batch(modules::Graph& graph, const Catalog& catalog, CompileOptions options = {});
  ~Batch();

  // What there is to report about the program with this main module: about itself and what it imports.
  std::vector<const diag::Diagnostic*> problems(const modules::Module& main) const;
  // The templates that it names, and those that what it imports does.
  std::vector<TemplateUse> templates(const modules::Module& main) const;
  // That program, or null when there were errors.
  std::unique_ptr<bytecode::Program> program(const modules::Module& main) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace harn::compile
