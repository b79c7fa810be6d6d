#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "syntax/ast.h"

// What the resolver learns about names, and the code generator needs.
namespace harn::compile {

struct FunctionInfo;
struct Scope;

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
  bool leaked = false;       // declared in an if or match body, used after it
  bool declared = false;     // the resolver has passed its declaration
  bool constant_fn = false;  // Global: declared with fn and never assigned
  bool is_parameter = false;
  bool is_owned = false;     // let x: owned<T>
  uint32_t global = 0;
  const void* module = nullptr;  // Global: the module that declares it
  int reg = -1;              // set by the code generator
  syntax::Node* declaration = nullptr;      // Function, Enum, Struct, TypeAlias, ...
  FunctionInfo* function = nullptr;         // fn declarations: the function it names
  std::vector<Scope*> declared_in;          // the bodies that declare it

  // A captured variable that changes lives in a cell that closure and owner share.
  bool in_cell() const { return kind == Kind::Local && captured && assigned; }
};

struct FunctionInfo {
  enum class Kind : uint8_t { Module, Function, Closure, Pipeline, Tool };

  Kind kind = Kind::Function;
  FunctionInfo* parent = nullptr;
  Variable* self = nullptr;  // the variable a named function is bound to
  bool is_stream = false;
  bool has_yield = false;
  bool returns_owned = false;  // its declared type is owned<T>
  std::vector<Variable*> captures;
  int capture_index(const Variable* variable) const;
};

// Hung on blocks: the variables of `if` and `match` bodies that are used after the body.
struct ScopeInfo {
  std::vector<Variable*> leaked;
};

// Owns what the syntax tree points at; lives as long as the tree is being compiled.
struct Resolution {
  std::deque<Variable> variables;
  std::deque<FunctionInfo> functions;
  std::deque<ScopeInfo> scopes;
};

}  // namespace harn::compile
