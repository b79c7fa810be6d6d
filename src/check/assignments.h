#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/analysis.h"
#include "syntax/ast.h"

// Who assigns which variables, over all functions of a program.
namespace harn::check {

// What may have another value behind a call.
struct Change {
  std::unordered_set<const compile::Variable*> variables;
  bool anything = false;  // nobody knows who is called
};

// Found out module by module, when somebody asks:
//
//   var name = nil
//   fn login() { name = "ann" }     values(name): the `var` and the assignment; login() changes `name`
//
// What tasks do counts, though they only have copies. Left out, because hardly anybody does it and much would be forgotten for
// it: a generator that somebody else has made runs when a loop goes over it, and functions of the library may call what was
// handed to them under a name.
class Assignments {
 public:
  explicit Assignments(const compile::ResolvedProgram& program) : program_(program) {}

  // All that is ever given to a variable: a `Let` that declares it alone, and each `Assign` that has it as its target.
  // Null when there is more: parameters, parts of what is taken apart, what a model writes.
  const std::vector<const syntax::Node*>* values(const compile::Variable& variable, const modules::Module& module);

  // Whether a function assigns it that is not the one it belongs to, so that a call may change it.
  bool is_shared(const compile::Variable& variable, const modules::Module& module);

  // What a call (a method call, a pipe) may change: all of these together. Calls in its arguments are calls of their own.
  std::vector<const Change*> of_call(const syntax::Node& call, const modules::Module& module);

 private:
  // A function that may run: a node, or what a variable that is never assigned again stands for.
  struct Callee {
    const syntax::Node* function = nullptr;
    const compile::Variable* variable = nullptr;
    const modules::Module* module = nullptr;
  };
  // What is handed over in a call, and to whom; an empty `to` is a builtin that calls functions.
  struct Handed {
    Callee what;
    Callee to;
  };
  // What one function does itself.
  struct Body {
    std::vector<const compile::Variable*> assigned;
    std::vector<Callee> runs;    // what it calls, and the functions that it makes
    std::vector<Callee> passes;  // of those, whom it hands its own parameters
    std::vector<Handed> handed;
    bool calls_anybody = false;
    bool calls_parameters = false;
  };
  struct Values {
    std::vector<const syntax::Node*> nodes;
    bool is_declared = false;
    bool is_open = false;
  };
  struct Facts {
    std::unordered_map<const syntax::Node*, Body> bodies;
    std::unordered_map<const compile::Variable*, Values> values;
    std::unordered_set<const compile::Variable*> shared;
    std::unordered_map<const compile::Variable*, const syntax::Node*> closures;  // `let f = { ... }`
  };
  // A place where something is called: who calls, and what is written down about it.
  struct Site {
    const modules::Module& module;
    const compile::FunctionInfo* function;  // null: the code of the module
    Body& body;
  };

  const Facts& of(const modules::Module& module);
  void read(const syntax::Node& node, const Site& site, Facts& facts);
  // Who is called, and with what. `takes_functions`: a builtin that calls functions it is handed.
  struct Call {
    std::vector<Callee> callees;
    bool takes_functions = false;
  };
  void read_call(const syntax::Node& node, const Site& site);
  void read_callee(const syntax::Node& callee, const Site& site, Call& call);
  void read_method(const syntax::MethodCall& node, const Site& site, Call& call);
  void read_methods();
  void read_arg(const syntax::Node& arg, const Site& site, const Call& call);
  const Body* body_of(const Callee& callee);
  bool is_harmless(const Callee& callee) const;
  bool calls_parameters(const Callee& callee);
  static bool is_apart(const Callee& callee);
  void follow(const Body& body, bool is_apart, std::vector<Callee>& next, Change& change);
  const Change& change_of(const Callee& callee);

  const compile::ResolvedProgram& program_;
  std::unordered_map<const modules::Module*, Facts> modules_;
  std::unordered_map<std::string_view, std::vector<Callee>> methods_;  // of structs and enums
  std::unordered_map<std::string_view, bool> builtin_methods_;         // and whether it takes functions
  bool has_methods_ = false;
  std::unordered_map<const Body*, Change> changes_;
  Change nothing_, anything_{{}, true};
};

}  // namespace harn::check
