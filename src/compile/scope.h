#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/bindings.h"
#include "syntax/ast.h"

// What the resolver learns about names, and the code generator needs.
namespace harn::modules {
struct Module;
}

namespace harn::compile {

struct FunctionInfo;
struct Scope;

// A place that declares a variable: a `let`, a parameter, ... `body` is the innermost body around it,
// `order` its number in the order in which the module is read.
struct VariableDeclaration {
  const Scope* body;
  uint32_t order;
  bool is_mutable;
};

struct Variable {
  enum class Kind : uint8_t { Local, Global };

  std::string_view name;
  Span span;
  Span keyword;  // the `let` that declares it; empty otherwise
  Kind kind = Kind::Local;
  FunctionInfo* owner = nullptr;  // Local: the function whose register it is
  bool is_mutable = false;
  bool assigned = false;     // written again after its declaration
  bool captured = false;     // a closure refers to it
  bool outside_use = false;  // Global: a function refers to it, so it cannot live in a register
  bool in_body = false;      // Global: declared in an if or match body
  bool hoisted = false;      // Local: some use may come before it is set, so it exists (unset) from its scope's start
  bool declared = false;     // the resolver has passed its declaration
  bool constant_fn = false;  // Global: declared with fn and never assigned
  bool is_parameter = false;
  bool is_const = false;
  bool is_owned = false;           // let x: owned<T>
  bool ends_with_program = false;  // Global, owned: functions may use it after its module's statements have run
  uint32_t global = 0;
  const void* module = nullptr;               // Global: the module that declares it
  uint32_t number = 0;                        // Local: among those of its function
  const syntax::Node* declaration = nullptr;  // Function, Enum, Struct, TypeAlias, ...
  const syntax::TypeNode* type = nullptr;     // its annotation
  FunctionInfo* function = nullptr;           // `fn f` and `let f = {...}`: the function it names
  std::vector<VariableDeclaration> declarations;
  // Holds whether its last declaration that ran was a `var`, where only the run can tell.
  Variable* word = nullptr;

  // A captured variable that changes lives in a cell that closure and owner share.
  bool in_cell() const { return kind == Kind::Local && captured && assigned; }
  // Inside the function it names, such a variable is the running closure: no capture, no cycle.
  bool names_function(const FunctionInfo* which) const { return function == which && function && !assigned; }
};

struct FunctionInfo {
  enum class Kind : uint8_t { Module, Function, Closure, Pipeline, Tool };

  Kind kind = Kind::Function;
  FunctionInfo* parent = nullptr;
  const Scope* created_in = nullptr;  // where the closure is made, and how far its parent had been read then
  uint32_t created_at = 0;
  bool is_stream = false;
  bool has_yield = false;
  bool cleans_up = false;                        // it has defer, finally and the like
  bool returns_owned = false;                    // its declared type is owned<T>
  const syntax::Declaration* persona = nullptr;  // what declares it, with `@persona`
  const syntax::Declaration* natural =
      nullptr;  // what declares it, or the function around it, with `@natural_function`
  const syntax::TypeNode* return_type = nullptr;
  uint32_t locals = 0;  // how many variables are its own
  std::vector<Variable*> captures;
  int capture_index(const Variable* variable) const;
  // A generator runs in pieces, between which somebody else does: it is never a persona.
  bool runs_persona() const { return persona && !has_yield && !is_stream; }
};

// Where a name may be found: the variables of that name from the innermost scope outwards. The first one
// that is set is meant. A null at the end: when none is set, a builtin of that name, or nobody.
using Candidates = std::vector<Variable*>;

// Owns what `Bindings` point at; lives as long as the program is being compiled.
// The path of a template in a call such as `render("page.prompt")`.
struct TemplateUse {
  const modules::Module* module = nullptr;
  std::string_view builtin;
  const syntax::StringLiteral* path = nullptr;
};

// `register_step_hook("persona_*", "step", ...)` in so many words.
struct StepHookUse {
  const modules::Module* module = nullptr;
  const syntax::StringLiteral* persona = nullptr;
  const syntax::StringLiteral* step = nullptr;
};

// A function with `@persona`, and the steps that its body calls.
struct PersonaSteps {
  const modules::Module* module = nullptr;
  std::unordered_set<std::string_view> steps;
};

// What the code of a Natural block needs besides the names that it mentions.
struct NaturalUse {
  std::vector<Variable*> locals;   // of its function, that are visible there
  std::vector<Variable*> errors;   // the types that its function throws, catches or gives back as errors
  std::vector<Variable*> made;     // the structs and enums that values which it writes or returns may be of
  Variable* ensures = nullptr;     // the predicate that `@natural_function(ensures: name)` names
  bool in_loop = false;
};

struct Resolution {
  std::deque<Variable> variables;
  std::deque<FunctionInfo> functions;
  TypeBindings types;
  // Uses of names (identifiers, struct literals, impls) whose first variable may be unset.
  std::unordered_map<const syntax::Node*, Candidates> candidates;
  // Names that stand before their declaration in the same scope: undefined when they are reached.
  std::unordered_set<const syntax::Node*> early;
  // Close names for those that mean nothing, by where they stand in the source text. The program
  // runs until it reaches one.
  std::unordered_map<const char*, std::string_view> hints;
  // Targets of assignments that are immutable at this place, though the variable is not at others.
  std::unordered_set<const syntax::Node*> immutable_targets;
  // Templates that calls name in so many words.
  std::vector<TemplateUse> templates;
  std::vector<StepHookUse> step_hooks;
  std::unordered_map<const syntax::Declaration*, PersonaSteps> personas;
  std::unordered_map<const syntax::Natural*, NaturalUse> natural;
  // Targets of assignments that must ask Variable::word.
  std::unordered_set<const syntax::Node*> asking_targets;
};

}  // namespace harn::compile
