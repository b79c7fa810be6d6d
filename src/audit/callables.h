#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/analysis.h"

// Who is called: from a name in a call to the code that it runs, across modules.
namespace harn::audit {

// A function, tool, pipeline or closure with the module it stands in.
struct Body {
  const syntax::Node* declaration = nullptr;
  const modules::Module* module = nullptr;
  std::string_view name;
  syntax::List<syntax::Param> params;
  const syntax::Block* block = nullptr;
};

// What a call runs: a body of the program, a builtin, or nobody knows.
struct Target {
  const Body* body = nullptr;
  std::string_view builtin = {};
};

// Made for one program whose names are resolved, and valid as long as that is.
class Callables {
 public:
  explicit Callables(const compile::ResolvedProgram& program);

  // Null for what cannot be called.
  const Body* body(const syntax::Node& declaration, const modules::Module& module);
  // What an expression means when it is called, or handed to somebody who may call it.
  Target target(const syntax::Node& callee, const modules::Module& module);
  // All methods of that name, of whatever struct: what `value.name()` may run.
  const std::vector<const Body*>& methods(std::string_view name) const;
  // `let name = { -> ... }`: calls of the name run the closure.
  void note_closure(const compile::Variable& variable, const syntax::Closure& closure, const modules::Module& module);
  // The value that a name is given once and for all; null when it changes, or nobody has seen it.
  const syntax::Node* value(const compile::Variable& variable) const;
  void note_value(const compile::Variable& variable, const syntax::Node& value);
  // Of a variable that is no local: the module that declares it.
  static const modules::Module* home(const compile::Variable& variable) {
    return static_cast<const modules::Module*>(variable.module);
  }

  const compile::ResolvedProgram& program() const { return program_; }

 private:
  void read_module(const modules::Module& module, const compile::Bindings& bindings);

  const compile::ResolvedProgram& program_;
  std::unordered_map<const syntax::Node*, Body> bodies_;
  std::unordered_map<const compile::Variable*, const Body*> closures_;
  std::unordered_map<const compile::Variable*, const syntax::Node*> values_;
  std::unordered_map<std::string_view, std::vector<const Body*>> methods_;
};

}  // namespace harn::audit
