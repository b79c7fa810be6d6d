#pragma once

#include <concepts>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/resolver.h"
#include "compile/scopes.h"
#include "compile/variants.h"
#include "syntax/children.h"

// The resolver, known only to the resolve_*.cpp files: a walk over the tree in evaluation order that binds names to
// variables. Which variable a name means is decided in scopes.h; functions are read after the code that makes them,
// when all names around them are known.
namespace harn::compile {

template <class T, class... Kinds>
concept OneOf = (std::same_as<T, Kinds> || ...);

class Resolver {
 public:
  Resolver(const modules::Module& module, ProgramNames& names, const Catalog& catalog, diag::Sink& sink,
           ResolveOptions options);
  FunctionInfo* run();

 private:
  struct WaitingFunction {
    FunctionInfo* info;
    syntax::List<syntax::Param> params;
    const syntax::Block* body;
    Variable* placeholder;                   // what `_` means there
    bool in_loop;                            // it stands in a loop, which it cannot leave
    std::vector<std::string_view> generics;  // type parameters in scope there
  };
  // What a type is named for. What a catch names may be declared in any module of the program: it is compared by name
  // then. OwnName: a word that is a new name when no type has it, as a row tail or the payload of a variant.
  enum class TypeUse { Annotation, Caught, OwnName };
  struct TypeName {
    syntax::Name name;
    const syntax::TypeNode* node;  // null: the interface of a `where`
    const Scope* scope;
    TypeUse use;
    const syntax::WhereBound* bound = nullptr;
  };
  struct UnknownName {
    const syntax::Identifier* node;
    const Scope* scope;
    const FunctionInfo* function;
    bool is_call;
  };
  // The names that a pattern binds: each may be there once.
  using BoundNames = std::unordered_map<std::string_view, Span>;
  enum class Declare { Leaking, Private };
  // What stands between a statement and the loops around it.
  enum class Barrier { None, Defer, Function };

  // ---- the walk (resolver.cpp) ----
  // Calls the `visit` for the kind of the node. There is one for each; none is inherited, so that a kind without one
  // does not compile.
  void read(const syntax::Node* node);
  void read_children(const auto& node) {
    for_each_child_of(node, [this](const OneOf<syntax::Node, syntax::TypeNode> auto& child) { read_child(child); });
  }
  void read_child(const syntax::Node& child) { read(&child); }
  void read_child(const syntax::TypeNode& child) { type(&child); }
  void collect_overrides();
  void statements(syntax::NodeList list);
  void block(const syntax::Block& block);
  void body(const syntax::Block& block);  // of an if or match: declares into the scope around it
  // Nothing to know but what is inside.
  template <OneOf<syntax::NilLiteral, syntax::BoolLiteral, syntax::IntLiteral, syntax::FloatLiteral,
                  syntax::DurationLiteral, syntax::StringLiteral, syntax::InterpolatedString, syntax::ListLiteral,
                  syntax::Unary, syntax::Range, syntax::Ternary, syntax::Spread, syntax::NamedArgument, syntax::Index,
                  syntax::Slice, syntax::TryUnwrap, syntax::Retry, syntax::Parallel, syntax::Spawn, syntax::HumanCall,
                  syntax::Throw, syntax::Require, syntax::Broken>
                Kind>
  void visit(const Kind& node) {
    read_children(node);
  }

  // ---- statements (resolve_statements.cpp) ----
  void visit(const syntax::Let& node);
  void visit(const syntax::Const& node);
  void visit(const syntax::Assign& node);
  void visit(const syntax::For& node);
  void visit(const syntax::While& node);
  void visit(const syntax::Return& node);
  void visit(const syntax::Break& node);
  void visit(const syntax::Continue& node);
  void visit(const syntax::Defer& node);
  void visit(const syntax::Guard& node);
  void visit(const syntax::Yield& node);
  void visit(const syntax::Emit& node);
  void visit(const syntax::Natural& node);
  void visit(const syntax::Import& node);
  void report_misplaced(const syntax::Node& node, std::string_view what);
  void name_closure(const syntax::Let& node);
  void check_escape(const syntax::Node& value, const FunctionInfo& function);
  void target(const syntax::Node& node);
  // `code`: what is told of a variable that does not change.
  void note_assignment(Variable& variable, const syntax::Identifier& at, diag::Code code = diag::Code::ImmutableAssign);
  void assigned_too_early(const Variable& variable, const syntax::Identifier& at);
  void loop(const syntax::Block& body);
  void note_step(const syntax::Identifier& callee);
  void note_step_hook(const syntax::Call& node, const syntax::Identifier& callee);
  void note_persona(const syntax::Declaration& node, FunctionInfo& info);
  // Natural blocks (resolve_natural.cpp).
  void note_natural(const syntax::Declaration& node, FunctionInfo& info);
  void natural_output(const syntax::Identifier& name);
  std::vector<Variable*> natural_errors(const syntax::Declaration& function);
  std::vector<Variable*> natural_made(const syntax::Natural& node);
  Variable* natural_predicate(const syntax::Attribute& attribute);
  void note_cleanup() { scopes_.function()->cleans_up = true; }  // something runs when a scope of it is left
  void loop_control(const syntax::Node& node, std::string_view word);
  bool never_returns(const syntax::Call& call) const;

  // ---- functions (resolve_functions.cpp) ----
  void visit(const syntax::Function& node);
  void visit(const syntax::Pipeline& node);
  void visit(const syntax::Override& node);
  void visit(const syntax::Tool& node);
  void visit(const syntax::Impl& node);
  void visit(const syntax::Closure& node);
  void enter(FunctionInfo& info, syntax::List<syntax::Param> params, const syntax::Block& code);
  void enter(const syntax::Function& node, FunctionInfo& info);
  void read_function(const WaitingFunction& waiting);
  void read_param(const syntax::Param& param);
  void method(const syntax::Function& node);

  // ---- types and what declares them (resolve_types.cpp) ----
  void visit(const syntax::Enum& node);
  void visit(const syntax::Struct& node);
  void visit(const syntax::TypeAlias& node);
  void visit(const syntax::Interface& node);
  void visit(const syntax::Skill& node);
  void visit(const syntax::EvalPack& node);
  void type(const syntax::TypeNode* node, TypeUse use = TypeUse::Annotation);
  void where(syntax::List<syntax::WhereBound> bounds);
  void bind_type_names();
  void report_unknown_type(const TypeName& use);
  void report_type_arguments(const syntax::TypeNode& node, size_t wanted);
  void check_type_arguments(const syntax::TypeNode& node, const syntax::Node* declaration);
  bool is_declared_somewhere(std::string_view name) const;
  const syntax::Node* find_type(std::string_view name, const Scope* scope);
  template <class Body>
  void with_generics(syntax::List<syntax::GenericParam> params, Body body) {
    size_t outer = generics_.size();
    for (const syntax::GenericParam& param : params) generics_.push_back(param.name.text);
    body();
    generics_.resize(outer);
  }

  // ---- expressions (resolve_expressions.cpp) ----
  void visit(const syntax::Identifier& node) { identifier(node, false); }
  void visit(const syntax::DictLiteral& node);
  void visit(const syntax::StructLiteral& node);
  void visit(const syntax::Binary& node);
  void visit(const syntax::Pipe& node);
  void visit(const syntax::Member& node);
  void visit(const syntax::TryStar& node);
  void visit(const syntax::Block& node) { block(node); }
  void visit(const syntax::If& node);
  void visit(const syntax::Try& node);
  void visit(const syntax::Deadline& node);
  void visit(const syntax::Mutex& node);
  void visit(const syntax::Select& node);
  void visit(const syntax::CostRoute& node);
  void route_option(const syntax::DictEntry& entry);

  // ---- calls (resolve_calls.cpp) ----
  void visit(const syntax::Call& node);
  void visit(const syntax::MethodCall& node);
  void check_deprecated(const syntax::Identifier& callee);
  void note_template(const syntax::Call& node, const syntax::Identifier& callee);
  void check_arity(const syntax::Call& node, const syntax::Identifier& callee);
  const SourcePtr& source_of(const Variable& variable) const;
  bool is_acquire(std::string_view name) const;
  bool is_namespaced(const syntax::Node& object, std::string_view name) const;

  // ---- patterns (resolve_patterns.cpp) ----
  void visit(const syntax::Match& node);
  void pattern(const syntax::Pattern& pattern, bool is_mutable, Declare how);
  void note_bound(BoundNames& bound, const syntax::Name& name);
  Variable* declare_bound(const syntax::Name& name, BoundNames& bound);
  void match_pattern(const syntax::MatchPattern& pattern, BoundNames& bound);
  void match_items(const syntax::MatchPattern& pattern, BoundNames& bound);
  void bind_pattern(const syntax::MatchPattern& pattern, BoundNames& bound);
  void warn_binding(const syntax::MatchPattern& pattern, const VisibleVariants& visible);
  VisibleVariants visible_variants() const;
  bool qualified_variant(const syntax::MatchPattern& pattern);
  void pattern_of_value(const syntax::MatchPattern& pattern);
  void bare_variant(const syntax::MatchPattern& pattern);
  void take_variant(const syntax::MatchPattern& pattern, const VariantInfo& variant);

  // ---- names (resolve_names.cpp) ----
  void identifier(const syntax::Identifier& node, bool is_call);
  bool is_builtin(std::string_view name) const;
  void report_unknown(std::string_view name, Span span, bool is_call, const Scope* scope);
  void report_unknown_names();
  std::string_view closest(std::string_view name, const Scope* scope) const;
  std::vector<std::string_view> visible_names(const Scope* scope) const;

  const modules::Module& module_;
  ProgramNames& names_;
  Bindings& bindings_;
  const Catalog& catalog_;
  diag::Sink& sink_;
  ResolveOptions options_;
  Scopes scopes_;
  std::vector<WaitingFunction> waiting_;
  std::vector<UnknownName> unknown_;
  std::unordered_set<std::string_view> overrides_;
  Variable* placeholder_ = nullptr;
  std::vector<TypeName> type_names_;
  std::vector<std::string_view> generics_;              // type parameters in scope
  const syntax::Block* block_ = nullptr;                // the innermost; null at the top level
  std::unordered_set<const syntax::Block*> inherited_;  // bodies with what other pipelines declare as well
  int loop_depth_ = 0;
  Barrier barrier_ = Barrier::None;
};

bool is_owned(const syntax::TypeNode* type);  // owned<T>

}  // namespace harn::compile
