#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compile/resolver.h"
#include "compile/scope.h"

// Which variable a name means.
//
// To the program a scope is a dictionary: declaring a name enters it, looking one up goes from the innermost
// scope outwards and takes the first that has it at that moment. So a name may mean different variables at
// different times:
//
//   let x = 1
//   for c in [true, false] {
//     if c { let x = 2 }   // if and match bodies declare into the scope around them
//     log(x)               // 2, then 1
//   }
//
// and a closure sees what its scopes get after it was made. We decide what can be decided when compiling.
// A use finds its candidates; when the first of them is set whenever the use is reached, it is the variable.
// Otherwise the candidates are kept for the code generator, which tests them one after the other.
//
// That needs every declaration of the enclosing functions to be known, so the resolver reads a function's
// own code first and the functions in it later (Resolver::run).
namespace harn::compile {

struct Scope {
  enum class Kind : uint8_t { Own, Body };  // the bodies of if and match declare into the scope around them

  Scope(Scope* parent, FunctionInfo* function, Kind kind, syntax::NodeId node)
      : parent(parent), function(function), kind(kind), node(node) {}

  Scope* parent;
  FunctionInfo* function;
  Kind kind;
  syntax::NodeId node;  // what opens the scope
  // A deferred block is read after the statements that follow it: declarations with these numbers may not
  // have run when it does.
  uint32_t after = 0, until = 0;

  bool is_body() const { return kind == Kind::Body; }
  Scope& home() { return is_body() ? parent->home() : *this; }
  bool is_within(const Scope* other) const;
  Variable* find(std::string_view name) const;
  void add(Variable& variable);
  const std::vector<Variable*>& names() const { return names_; }

 private:
  std::vector<Variable*> names_;
  std::unordered_map<std::string_view, Variable*> index_;  // once there are many
};

class Scopes {
 public:
  Scopes(const modules::Module& module, ProgramNames& names);

  // ---- where the walk is ----
  FunctionInfo* function() const { return function_; }
  Scope* scope() const { return scope_; }
  bool at_top() const { return &scope_->home() == top_; }  // what is declared here is a program variable
  bool is_outermost() const { return scope_ == top_; }
  FunctionInfo& new_function(FunctionInfo::Kind kind);
  // The function is made where the walk is now, not where it was created: `let f = { ... f() }`.
  void made_here(FunctionInfo& info) const;

  template <class Body>
  void in_scope(syntax::NodeId node, Body body) {
    Scope& scope = open(Scope::Kind::Own, node);
    body();
    scope_ = scope.parent;
  }
  // The body of an if or match: declares into the scope around it.
  template <class Body>
  void in_body(Body body) {
    Scope& scope = open(Scope::Kind::Body);
    body();
    scope_ = scope.parent;
  }
  // A deferred block, which sees what its scope gets later. `after`: how far the code had been read when it
  // was registered.
  template <class Body>
  void in_deferred(uint32_t after, Body body) {
    Scope& scope = open(Scope::Kind::Body);
    scope.after = after;
    scope.until = order_;
    body();
    scope_ = scope.parent;
  }
  uint32_t order() const { return order_; }
  // The parameters and the body of a function, read after the code around it.
  template <class Body>
  void in_function(FunctionInfo& info, Body body) {
    FunctionInfo* outer = std::exchange(function_, &info);
    Scope* scope = std::exchange(scope_, const_cast<Scope*>(info.created_in));
    in_scope({}, body);
    scope_ = scope;
    function_ = outer;
  }

  // ---- declaring ----
  // Null for `_`. Declaring a name again in one scope binds the same variable anew.
  Variable* declare(syntax::Name name, bool is_mutable);
  // A variable that belongs to one construct and is never seen outside: loop variables, parameters, match
  // bindings, errors.
  Variable* declare_private(syntax::Name name, bool is_mutable);
  Variable& new_local(std::string_view name, Span span, bool is_mutable);

  // ---- looking up ----
  // The first candidate; null when there is none. Does not count as a use.
  Variable* find(std::string_view name) const;
  // The same, and notes that `node` uses it.
  Variable* use(const syntax::Node& node, std::string_view name);
  // `node` uses exactly this variable.
  void use(Variable& variable);
  // The target of an assignment, which `use` has found. False when no variable it may mean is mutable.
  bool assign(const syntax::Node& node, Variable& first);
  // A declaration of the name further down in the scopes of `function` that are open at `from`.
  static const Variable* find_later(const Scope* from, const FunctionInfo* function, std::string_view name);
  std::vector<std::string_view> visible_names(const Scope* from) const;
  // The variables of the running function that can be seen here, the innermost of each name. Counts as a use of them.
  std::vector<Variable*> use_locals();

  // When everything has been read: what closures capture, what must exist before it is declared.
  void finish();

 private:
  // How far a function has been read when code is reached: now, or when the closure around that code was made.
  struct Point {
    const Scope* scope;
    uint32_t order;
  };
  struct Use {
    FunctionInfo* by;
    Variable* variable;
  };

  Scope& open(Scope::Kind kind, syntax::NodeId node = {});
  Variable* declare_global(syntax::Name name, bool is_mutable);
  Variable* find_until_home(std::string_view name) const;
  void note(Variable& variable, bool is_mutable);
  Point point_in(const FunctionInfo* owner) const;
  static bool has_run(const VariableDeclaration& declaration, Point point);
  static bool is_set_at(const Variable& variable, Point point);
  struct Mutability {
    bool is_possible, is_certain;
  };
  Mutability mutability_here(const Variable& variable) const;
  void ask_for_word(Variable& variable);
  Candidates candidates(std::string_view name, bool& certain) const;
  Variable* find_global(std::string_view name) const;
  void hoist(Variable& variable);
  void capture(const Use& use);

  const modules::Module& module_;
  ProgramNames& names_;
  std::unordered_map<std::string_view, Variable*>& globals_;
  mutable std::vector<std::string_view> sorted_globals_;  // the names of all of them
  Bindings& bindings_;
  std::deque<Scope> scopes_;  // kept: variables point at the scopes that declare them
  FunctionInfo* function_ = nullptr;
  Scope* scope_ = nullptr;
  Scope* top_ = nullptr;
  uint32_t order_ = 0;
  std::vector<Variable*> locals_;
  std::vector<Use> uses_;  // of variables of enclosing functions
};

}  // namespace harn::compile
