// Binds names to variables: a walk over the tree in evaluation order. Which variable a name means is decided
// in scopes.h; functions are read after the code that makes them, when all names around them are known.
#include "compile/resolver.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "compile/foreign_names.h"
#include "compile/leaves.h"
#include "compile/redeclare.h"
#include "compile/scopes.h"
#include "compile/variants.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

int FunctionInfo::capture_index(const Variable* variable) const {
  auto at = std::find(captures.begin(), captures.end(), variable);
  return at == captures.end() ? -1 : static_cast<int>(at - captures.begin());
}

namespace {

class Resolver {
 public:
  Resolver(modules::Module& module, ProgramNames& names, const Catalog& catalog, diag::Sink& sink,
           ResolveOptions options)
      : module_(module), names_(names), catalog_(catalog), sink_(sink), options_(options), scopes_(module, names) {}

  FunctionInfo* run() {
    FunctionInfo* start = scopes_.function();
    collect_overrides();
    check_redeclared(module_.tree->items, module_.source, sink_);
    for (Node* node : module_.tree->items) check_attributes(*node);
    statements(module_.tree->items);
    // Reading one may find more.
    for (size_t i = 0; i < waiting_.size(); ++i) read_function(WaitingFunction(waiting_[i]));
    bind_type_names();
    report_unknown_names();
    scopes_.finish();
    if (options_.main_locals) scopes_.move_to_registers();
    return start;
  }

 private:
  struct WaitingFunction {
    FunctionInfo* info;
    List<Param> params;
    Block* body;
    Variable* placeholder;                   // what `_` means there
    bool in_loop;                            // it stands in a loop, which it cannot leave
    std::vector<std::string_view> generics;  // type parameters in scope there
  };
  struct TypeName {
    TypeNode* node;
    const Scope* scope;
  };
  struct UnknownName {
    const Identifier* node;
    const Scope* scope;
    const FunctionInfo* function;
    bool is_call;
  };

  // A pipeline may call what only the pipelines that extend it define.
  void collect_overrides() {
    for (Node* node : module_.tree->items) {
      if (!node->is(NodeKind::Pipeline) || node->as<Pipeline>().extends.empty()) continue;
      for (Node* part : node->as<Pipeline>().body->statements) {
        if (part->is(NodeKind::Function)) overrides_.insert(part->as<Function>().name.text);
      }
    }
  }

  void check_attributes(const Node& node) {
    if (node.kind < NodeKind::Function || node.kind > NodeKind::Interface) return;
    static constexpr std::string_view kKnown[] = {
        "deprecated",       "test",    "persona",    "step",     "trigger",      "handoff",
        "budget",           "command", "complexity", "acp_tool", "acp_skill",    "invariant",
        "natural_function", "effects", "allocation", "errors",   "api_stability"};
    for (const Attribute& attribute : node.as<Declaration>().attributes) {
      check_attribute_place(attribute, node.kind);
      if (std::find(std::begin(kKnown), std::end(kKnown), attribute.name.text) != std::end(kKnown)) continue;
      auto report = sink_.report(Code::UnknownAttribute, module_.source, attribute.name.span, attribute.name.text);
      auto close = text::close_names(attribute.name.text, kKnown);
      if (!close.empty()) report.help(fmt::format("did you mean `@{}`?", close[0]));
    }
  }

  void check_attribute_place(const Attribute& attribute, NodeKind on) {
    std::string_view name = attribute.name.text, only;
    if (name == "test" && on != NodeKind::Pipeline) only = "pipeline";
    if ((name == "acp_tool" || name == "acp_skill") && on != NodeKind::Function) only = "function";
    bool runs = on == NodeKind::Function || on == NodeKind::Tool || on == NodeKind::Pipeline;
    if (name == "invariant" && !runs) only = "function, tool, or pipeline";
    if (only.empty()) return;
    auto report = sink_.report(Code::MisplacedAttribute, module_.source, attribute.span, name, only);
    report.label("has no effect here");
    if (name == "test") report.help("write `pipeline` instead of `fn` to have `harn test` run it");
  }

  // ---- names ----

  void report_unknown(std::string_view name, Span span, bool is_call, const Scope* scope) {
    if (module_.unresolved_imports) return;
    std::string_view close = closest(name, scope);
    if (!is_call && !options_.unknown_variables) {
      if (!close.empty()) names_.resolution.hints[name.data()] = close;
      return;
    }
    auto report = sink_.report(is_call ? Code::UnknownCallTarget : Code::UnknownVariable, module_.source, span, name);
    if (close.empty()) {
      report.label(is_call ? "not a builtin, a declaration or an import" : "not found in this scope");
    } else {
      report.label("unknown name");
      report.help(fmt::format("did you mean `{}`?", close));
      report.fix({fmt::format("use `{}`", close), span, std::string(close), false});
    }
  }

  // What the writer of an unknown name most likely meant; may be empty.
  std::string_view closest(std::string_view name, const Scope* scope) {
    if (std::string_view meant = meant_by(name); !meant.empty()) return meant;
    auto close = text::close_names(name, visible_names(scope));
    return close.empty() ? std::string_view() : close[0];
  }

  // The nearest first: a slip in the name of a local means that local rather than a builtin.
  std::vector<std::string_view> visible_names(const Scope* scope) {
    std::vector<std::string_view> out = scopes_.visible_names(scope);
    for (std::string_view name : catalog_.names()) {
      if (!name.starts_with("__")) out.push_back(name);
    }
    return out;
  }

  bool is_builtin(std::string_view name) {
    if (name.starts_with("__") && !options_.internal_names) return false;
    return catalog_.find(name).has_value() || catalog_.constant(name).has_value();
  }

  void identifier(Identifier& node, bool is_call) {
    if (node.name == "_" && placeholder_) {
      node.variable = placeholder_;
      scopes_.use(*placeholder_);
      return;
    }
    node.variable = scopes_.use(node, node.name);
    if (node.variable || is_builtin(node.name)) return;
    if (is_call && overrides_.contains(node.name)) return;
    unknown_.push_back({&node, scopes_.scope(), scopes_.function(), is_call});
  }

  // Only when a function has been read is it clear whether a name is declared further down.
  void report_unknown_names() {
    for (const UnknownName& unknown : unknown_) {
      const Identifier& node = *unknown.node;
      const Variable* later = Scopes::find_later(unknown.scope, unknown.function, node.name);
      if (!later) {
        report_unknown(node.name, node.span, unknown.is_call, unknown.scope);
        continue;
      }
      names_.resolution.early.insert(&node);
      if (!options_.unknown_variables) continue;
      sink_.report(Code::UnknownVariable, module_.source, node.span, node.name)
          .label("used before it is declared")
          .label(module_.source, later->span, "declared here");
    }
  }

  // ---- statements ----

  // Deferred blocks run when the scope is left, so they are read last: they see all that it declares.
  void statements(NodeList list) {
    std::vector<std::pair<Defer*, uint32_t>> deferred;
    for (Node* node : list) {
      if (node->is(NodeKind::Defer)) deferred.push_back({&node->as<Defer>(), scopes_.order()});
      else statement(node);
    }
    for (auto [node, after] : deferred) scopes_.in_deferred(after, [&] { defer(*node); });
  }

  void block(Block* block) {
    Block* outer = std::exchange(block_, block);
    if (!inherited_.contains(block)) check_redeclared(block->statements, module_.source, sink_);
    block->scope = scopes_.in_scope([&] { statements(block->statements); });
    block_ = outer;
  }

  void body(Block* block) {
    Block* outer = std::exchange(block_, block);
    check_redeclared(block->statements, module_.source, sink_);
    scopes_.in_body([&] { statements(block->statements); });
    block_ = outer;
  }

  void statement(Node* node) {
    switch (node->kind) {
      case NodeKind::Let: return let(node->as<Let>());
      case NodeKind::Const: return constant(node->as<Const>());
      case NodeKind::Assign: return assign(node->as<Assign>());
      case NodeKind::For: return for_in(node->as<For>());
      case NodeKind::While: return while_loop(node->as<While>());
      case NodeKind::Return: return return_statement(node->as<Return>());
      case NodeKind::Throw: return expression(node->as<Throw>().value);
      case NodeKind::Break: return loop_control(*node, "break");
      case NodeKind::Continue: return loop_control(*node, "continue");
      case NodeKind::Guard: return guard(node->as<Guard>());
      case NodeKind::Require: return require(node->as<Require>());
      case NodeKind::Yield: return yield(node->as<Yield>());
      case NodeKind::Emit: return emit(node->as<Emit>());
      case NodeKind::Function: return function(node->as<Function>());
      case NodeKind::Pipeline: return pipeline(node->as<Pipeline>());
      case NodeKind::Override: return override_decl(node->as<Override>());
      case NodeKind::Tool: return tool(node->as<Tool>());
      case NodeKind::Skill: return fields(node->as<Skill>());
      case NodeKind::EvalPack: return fields(node->as<EvalPack>());
      case NodeKind::Enum: return type_declaration(node->as<Enum>());
      case NodeKind::Struct: return type_declaration(node->as<Struct>());
      case NodeKind::Impl: return impl(node->as<Impl>());
      case NodeKind::TypeAlias: return alias(node->as<TypeAlias>());
      case NodeKind::Import:
        if (!scopes_.is_outermost()) report_misplaced(*node, "an import");
        return;
      case NodeKind::Interface: return check_members(*node, module_.source, sink_);
      case NodeKind::Error: return;
      default: return expression(node);
    }
  }

  void report_misplaced(const Node& node, std::string_view what) {
    sink_.report(Code::NotSupportedYet, module_.source, node.span, fmt::format("{} inside a block", what))
        .help("move it to the top level of the file");
  }

  void let(Let& node) {
    expression(node.value);
    pattern(*node.pattern, node.is_var, Declare::Leaking);
    name_closure(node);
    Span keyword{node.span.start, node.span.start + 3};
    if (is_owned(node.type) && node.pattern->kind == PatternKind::Name && node.pattern->fields[0].variable) {
      node.pattern->fields[0].variable->is_owned = true;
      note_cleanup();
    }
    if (node.is_var || module_.source->text(keyword) != "let") return;
    for (PatternField& field : node.pattern->fields) {
      if (field.variable) field.variable->keyword = keyword;
    }
  }

  // `let f = { n -> ... f(n - 1) ... }`: nobody can call the closure before it has its name.
  void name_closure(Let& node) {
    if (node.pattern->kind != PatternKind::Name || !node.value->is(NodeKind::Closure)) return;
    Variable* variable = node.pattern->fields[0].variable;
    if (!variable) return;
    FunctionInfo& info = *node.value->as<Closure>().info;
    scopes_.made_here(info);
    if (!variable->function) variable->function = &info;
  }

  static bool is_owned(const TypeNode* type) {
    return type && type->kind == TypeKind::Named && type->name.text == "owned";
  }

  void return_statement(Return& node) {
    optional(node.value);
    if (node.value) check_escape(*node.value, *scopes_.function());
  }

  void check_escape(const Node& value, const FunctionInfo& function) {
    if (!value.is(NodeKind::Identifier)) return;
    auto& name = value.as<Identifier>();
    if (!name.variable || !name.variable->is_owned || function.returns_owned) return;
    if (name.variable->owner != &function) return;
    sink_.report(Code::OwnedEscapes, module_.source, name.span, name.name)
        .label(module_.source, name.variable->span, "closed when this scope ends")
        .help("declare the function's return type as `owned<...>` to hand it to the caller");
  }

  enum class Declare { Leaking, Private };
  void pattern(Pattern& pattern, bool is_mutable, Declare how) {
    BoundNames bound;
    for (PatternField& field : pattern.fields) {
      if (field.default_value) expression(field.default_value);
      note_bound(bound, field.binding);
      field.variable = how == Declare::Leaking ? scopes_.declare(field.binding, is_mutable)
                                               : scopes_.declare_private(field.binding, is_mutable);
    }
  }

  // The names that a pattern binds: each may be there once.
  using BoundNames = std::unordered_map<std::string_view, Span>;
  void note_bound(BoundNames& bound, const Name& name) {
    if (name.text.starts_with('_')) return;
    auto [known, fresh] = bound.try_emplace(name.text, name.span);
    if (fresh) return;
    sink_.report(Code::DuplicateBinding, module_.source, name.span, name.text)
        .label("bound again here")
        .label(module_.source, known->second, "first bound here")
        .help("give one of the two another name");
  }

  void constant(Const& node) {
    expression(node.value);
    node.variable = scopes_.declare(node.name, false);
    if (node.variable) node.variable->is_const = true;
  }

  void assign(Assign& node) {
    expression(node.value);
    target(node.target);
  }

  void target(Node* node) {
    switch (node->kind) {
      case NodeKind::Identifier: {
        auto& name = node->as<Identifier>();
        identifier(name, false);
        if (name.variable) note_assignment(*name.variable, name);
        return;
      }
      case NodeKind::Member: return target(node->as<Member>().object);
      case NodeKind::Index: target(node->as<Index>().object); return expression(node->as<Index>().index);
      default: return expression(node);
    }
  }

  void note_assignment(Variable& variable, Identifier& at) {
    if (!variable.declared && variable.kind == Variable::Kind::Global && !variable.declaration &&
        scopes_.function()->kind == FunctionInfo::Kind::Module) {
      return assigned_too_early(variable, at);
    }
    if (scopes_.assign(at, variable)) return;
    std::string_view how = variable.is_parameter  ? "a parameter"
                           : variable.declaration ? "a declaration"
                                                  : "declared with `let`";
    auto report = sink_.report(Code::ImmutableAssign, module_.source, at.span, at.name, how);
    report.label("assigned here");
    if (variable.is_parameter) report.help("copy it to a `var` first");
    if (variable.keyword.end == 0) return;
    report.label(module_.source, variable.span, "declared here");
    report.fix({"declare it with `var`", variable.keyword, "var", true});
  }

  // The file's own code reaches the assignment before the declaration: there is no variable yet.
  void assigned_too_early(const Variable& variable, Identifier& at) {
    at.variable = nullptr;
    if (!options_.unknown_variables) return;
    sink_.report(Code::UnknownVariable, module_.source, at.span, at.name)
        .label("assigned before it is declared")
        .label(module_.source, variable.span, "declared here");
  }

  void for_in(For& node) {
    expression(node.iterable);
    node.scope = scopes_.in_scope([&] {
      pattern(*node.pattern, true, Declare::Private);
      loop([&] { block(node.body); });
    });
  }

  void while_loop(While& node) {
    expression(node.condition);
    loop([&] { block(node.body); });
  }

  template <class Body>
  void loop(Body body) {
    ++loop_depth_;
    body();
    --loop_depth_;
  }
  // What stands between a statement and the loops around it.
  enum class Barrier { None, Defer, Function };

  // Something runs when a scope of this function is left.
  void note_cleanup() { scopes_.function()->cleans_up = true; }

  void defer(Defer& node) {
    note_cleanup();
    Barrier outer = std::exchange(barrier_, loop_depth_ > 0 ? Barrier::Defer : barrier_);
    int depth = std::exchange(loop_depth_, 0);
    block(node.body);
    loop_depth_ = depth;
    barrier_ = outer;
  }

  void loop_control(const Node& node, std::string_view word) {
    if (loop_depth_ > 0) return;
    if (barrier_ == Barrier::Defer) {
      sink_.report(Code::LoopControlInDefer, module_.source, node.span, word)
          .label("the loop is outside of the `defer` block")
          .help("a deferred block runs when its scope is being left already; set a variable and test it in the loop");
      return;
    }
    sink_.report(Code::LoopControlOutsideLoop, module_.source, node.span, word)
        .label(barrier_ == Barrier::Function ? "the loop is outside of this function"
                                             : "not inside a `for` or `while`");
  }

  void guard(Guard& node) {
    expression(node.condition);
    body(node.else_block);
    if (leaves(*node.else_block, [&](const Call& call) { return never_returns(call); })) return;
    sink_.report(Code::GuardFallsThrough, module_.source, {node.span.start, node.span.start + 5})
        .label("what follows runs although the condition does not hold")
        .help("end the `else` block with `return`, `throw`, `break` or `continue`, or use `if`");
  }

  bool never_returns(const Call& call) const {
    if (!call.callee->is(NodeKind::Identifier)) return false;
    auto& callee = call.callee->as<Identifier>();
    if (!callee.variable) {
      auto builtin = catalog_.find(callee.name);
      return builtin && builtin->signature.never_returns();
    }
    const Node* declaration = callee.variable->declaration;
    if (!declaration || !declaration->is(NodeKind::Function)) return false;
    const TypeNode* type = declaration->as<Function>().return_type;
    return type && type->kind == TypeKind::Named && type->name.text == "never";
  }

  void require(Require& node) {
    expression(node.condition);
    optional(node.message);
  }

  void yield(Yield& node) {
    optional(node.value);
    if (scopes_.function()->is_stream) sink_.report(Code::YieldInStream, module_.source, node.span);
    if (scopes_.function()->kind != FunctionInfo::Kind::Function &&
        scopes_.function()->kind != FunctionInfo::Kind::Closure) {
      sink_.report(Code::YieldOutsideFunction, module_.source, node.span);
    }
    scopes_.function()->has_yield = true;
  }

  void emit(Emit& node) {
    expression(node.value);
    if (!scopes_.function()->is_stream) {
      sink_.report(Code::EmitOutsideStream, module_.source, node.span).help("declare the function with `gen fn`");
    }
    scopes_.function()->has_yield = true;
  }

  // ---- functions ----

  // Read when everything around it has been.
  void enter(FunctionInfo& info, List<Param> params, Block* code) {
    // A piped `_` reaches into closures, except into those that have a `_` of their own.
    bool hides = std::any_of(params.begin(), params.end(), [](const Param& param) { return param.name.text == "_"; });
    waiting_.push_back({&info, params, code, hides ? nullptr : placeholder_, loop_depth_ > 0, generics_});
  }

  // Parameters, then the body, in a function of their own.
  void read_function(const WaitingFunction& waiting) {
    placeholder_ = waiting.placeholder;
    generics_ = waiting.generics;
    barrier_ = waiting.in_loop ? Barrier::Function : Barrier::None;
    scopes_.in_function(*waiting.info, [&] {
      for (Param& param : waiting.params) {
        if (param.default_value) expression(param.default_value);
        type(param.type);
        Variable* known = param.name.text == "_" ? nullptr : scopes_.scope()->find(param.name.text);
        if (known) {
          sink_.report(Code::DuplicateParameter, module_.source, param.name.span, param.name.text)
              .label("listed again here")
              .label(module_.source, known->span, "first listed here");
        }
        param.variable = scopes_.declare_private(param.name, false);
        if (param.variable) param.variable->is_parameter = true;
      }
      block(waiting.body);
    });
    bool has_value = !waiting.info->has_yield && !waiting.body->statements.empty();
    if (has_value) check_escape(*waiting.body->statements.back(), *waiting.info);
  }

  void function(Function& node) {
    check_members(node, module_.source, sink_);
    node.variable = scopes_.declare(node.name, false);
    Variable* variable = node.variable;
    if (variable && !variable->declaration) variable->declaration = &node;
    FunctionInfo& info = scopes_.new_function(FunctionInfo::Kind::Function);
    if (variable && !variable->function) variable->function = &info;
    info.is_stream = node.is_gen;
    info.returns_owned = is_owned(node.return_type);
    node.info = &info;
    with_generics(node.generics, [&] { enter(info, node.params, node.body); });
  }

  void pipeline(Pipeline& node) {
    if (!scopes_.at_top()) return report_misplaced(node, "a pipeline");
    node.info = &scopes_.new_function(FunctionInfo::Kind::Pipeline);
    node.info->returns_owned = is_owned(node.return_type);
    if (!node.extends.empty()) inherited_.insert(node.body);
    enter(*node.info, node.params, node.body);
  }

  // Those of a pipeline that extends another have become functions (inherit.cpp).
  void override_decl(Override& node) {
    if (!inherited_.contains(block_)) report_stray_override(node);
    node.info = &scopes_.new_function(FunctionInfo::Kind::Function);
    enter(*node.info, node.params, node.body);
  }

  void report_stray_override(const Override& node) {
    sink_
        .report(Code::BadPipeline, module_.source, node.name.span,
                fmt::format("`override {}` is not in the body of a pipeline that extends another", node.name.text))
        .help("`pipeline child(task) extends parent { override NAME(...) { ... } }` replaces what the parent calls");
  }

  void tool(Tool& node) {
    optional(node.description);
    node.info = &scopes_.new_function(FunctionInfo::Kind::Tool);
    enter(*node.info, node.params, node.body);
    node.variable = scopes_.declare(node.name, false);
  }

  template <class T>
  void fields(T& node) {
    check_members(node, module_.source, sink_);
    for (SkillField& field : node.fields) expression(field.value);
    node.variable = scopes_.declare(node.name, false);
  }

  template <class T>
  void type_declaration(T& node) {
    check_members(node, module_.source, sink_);
    node.variable = scopes_.declare(node.name, false);
    if (node.variable) node.variable->declaration = &node;
    with_generics(node.generics, [&] { parts(node); });
  }
  void parts(Enum& node) {
    for (EnumVariant& variant : node.variants) {
      for (Param& field : variant.fields) type(field.type);
    }
  }
  void parts(Struct& node) {
    for (StructField& field : node.fields) type(field.type);
  }

  void alias(TypeAlias& node) {
    check_members(node, module_.source, sink_);
    // An alias is not a value; it only needs an entry so that schema_of(T) finds the type.
    if (Variable* variable = scopes_.declare(node.name, false)) variable->declaration = &node;
    with_generics(node.generics, [&] { type(node.type); });
  }

  void impl(Impl& node) {
    node.variable = scopes_.use(node, node.name.text);
    if (!node.variable) report_unknown(node.name.text, node.name.span, true, scopes_.scope());
    for (Function* method : node.methods) {
      if (method->params.empty() || method->params[0].name.text != "self") {
        sink_.report(Code::MissingSelf, module_.source, method->name.span, method->name.text)
            .help("a method gets the struct it is called on as `self`");
      }
      method->info = &scopes_.new_function(FunctionInfo::Kind::Function);
      method->info->is_stream = method->is_gen;
      method->info->returns_owned = is_owned(method->return_type);
      with_generics(method->generics, [&] { enter(*method->info, method->params, method->body); });
    }
  }

  // ---- types ----

  // Names in types are bound too: a parameter check or a typed catch must mean the type that is in
  // scope where it is written.
  void type(TypeNode* node) {
    if (!node) return;
    if (node->kind == TypeKind::Named) {
      node->is_parameter = std::find(generics_.begin(), generics_.end(), node->name.text) != generics_.end();
      if (!node->is_parameter) type_names_.push_back({node, scopes_.scope()});
    }
    for (TypeNode* item : node->items) type(item);
    for (ShapeField& field : node->fields) type(field.type);
    for (TypeNode* tail : node->row_tails) type(tail);
    type(node->result);
  }

  static bool is_type(const Node* node) {
    return node && (node->is(NodeKind::TypeAlias) || node->is(NodeKind::Struct) || node->is(NodeKind::Enum) ||
                    node->is(NodeKind::Interface));
  }

  // When everything has been read: types may be declared after they are used.
  void bind_type_names() {
    for (const TypeName& use : type_names_) use.node->declaration = find_type(use.node->name.text, use.scope);
  }

  Node* find_type(std::string_view name, const Scope* scope) {
    for (; scope; scope = scope->parent) {
      Variable* local = scope->find(name);
      if (local && is_type(local->declaration)) return local->declaration;
    }
    Variable* global = scopes_.find(name);
    return global && is_type(global->declaration) ? global->declaration : nullptr;
  }

  template <class Body>
  void with_generics(List<GenericParam> params, Body body) {
    size_t outer = generics_.size();
    for (const GenericParam& param : params) generics_.push_back(param.name.text);
    body();
    generics_.resize(outer);
  }

  void closure(Closure& node) {
    node.info = &scopes_.new_function(FunctionInfo::Kind::Closure);
    node.info->returns_owned = is_owned(node.return_type);
    enter(*node.info, node.params, node.body);
  }

  // ---- expressions ----

  void optional(Node* node) {
    if (node) expression(node);
  }

  void expressions(NodeList list) {
    for (Node* node : list) expression(node);
  }

  void entries(List<DictEntry> list) {
    for (DictEntry& entry : list) {
      optional(entry.computed);
      optional(entry.value);
    }
  }

  void expression(Node* node) {
    switch (node->kind) {
      case NodeKind::NilLiteral:
      case NodeKind::BoolLiteral:
      case NodeKind::IntLiteral:
      case NodeKind::FloatLiteral:
      case NodeKind::DurationLiteral:
      case NodeKind::StringLiteral:
      case NodeKind::Error: return;
      case NodeKind::InterpolatedString: return expressions(node->as<InterpolatedString>().parts);
      case NodeKind::Identifier: return identifier(node->as<Identifier>(), false);
      case NodeKind::ListLiteral: return expressions(node->as<ListLiteral>().items);
      case NodeKind::DictLiteral:
        check_dict_keys(node->as<DictLiteral>(), module_.source, sink_);
        return entries(node->as<DictLiteral>().entries);
      case NodeKind::StructLiteral: return struct_literal(node->as<StructLiteral>());
      case NodeKind::Closure: return closure(node->as<Closure>());
      case NodeKind::Unary: return expression(node->as<Unary>().operand);
      case NodeKind::Binary: return binary(node);
      case NodeKind::Range: expression(node->as<Range>().start); return expression(node->as<Range>().end);
      case NodeKind::Ternary:
        expression(node->as<Ternary>().condition);
        expression(node->as<Ternary>().then_value);
        return expression(node->as<Ternary>().else_value);
      case NodeKind::Pipe: return pipe(node->as<Pipe>());
      case NodeKind::Spread: return expression(node->as<Spread>().operand);
      case NodeKind::NamedArgument: return expression(node->as<NamedArgument>().value);
      case NodeKind::Call: return call(node->as<Call>());
      case NodeKind::MethodCall: return method_call(node->as<MethodCall>());
      case NodeKind::Member: return member(node->as<Member>());
      case NodeKind::Index: expression(node->as<Index>().object); return expression(node->as<Index>().index);
      case NodeKind::Slice:
        expression(node->as<Slice>().object);
        optional(node->as<Slice>().start);
        return optional(node->as<Slice>().end);
      case NodeKind::TryUnwrap: return expression(node->as<TryUnwrap>().operand);
      case NodeKind::TryStar: return try_star(node->as<TryStar>());
      case NodeKind::Block: return block(&node->as<Block>());
      case NodeKind::If: return if_else(node);
      case NodeKind::Match: return match(node->as<Match>());
      case NodeKind::Try: return try_catch(node->as<Try>());
      case NodeKind::Retry: optional(node->as<Retry>().count); return block(node->as<Retry>().body);
      case NodeKind::Parallel:
        expression(node->as<Parallel>().source);
        optional(node->as<Parallel>().max_concurrent);
        return closure(*node->as<Parallel>().body);
      case NodeKind::Spawn: return closure(*node->as<Spawn>().body);
      case NodeKind::Deadline:
        note_cleanup();
        expression(node->as<Deadline>().duration);
        return block(node->as<Deadline>().body);
      case NodeKind::Mutex: note_cleanup(); return block(node->as<Mutex>().body);
      case NodeKind::Select: return select(node->as<Select>());
      case NodeKind::CostRoute:
        for (DictEntry& entry : node->as<CostRoute>().options) route_option(entry);
        return block(node->as<CostRoute>().body);
      case NodeKind::HumanCall: return expressions(node->as<HumanCall>().args);
      default: return statement(node);
    }
  }

  // `fallback_strategy: cheapest_first` names a strategy, not a variable.
  void route_option(DictEntry& entry) {
    if (entry.value && entry.value->is(NodeKind::Identifier) && !scopes_.find(entry.value->as<Identifier>().name)) {
      return;
    }
    optional(entry.value);
  }

  // Long chains lean left; a loop keeps them off the C++ stack.
  void binary(Node* node) {
    std::vector<Binary*> chain;
    while (node->is(NodeKind::Binary)) {
      chain.push_back(&node->as<Binary>());
      node = node->as<Binary>().left;
    }
    expression(node);
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) expression((*at)->right);
  }

  void struct_literal(StructLiteral& node) {
    node.variable = scopes_.use(node, node.name.text);
    if (!node.variable) report_unknown(node.name.text, node.name.span, true, scopes_.scope());
    check_struct_fields(node, module_.source, sink_);
    entries(node.fields);
  }

  void pipe(Pipe& node) {
    expression(node.left);
    if (!node.has_placeholder) {
      if (node.right->is(NodeKind::Identifier)) identifier(node.right->as<Identifier>(), true);
      else expression(node.right);
      return;
    }
    Variable& variable = scopes_.new_local("_", node.span, false);
    node.placeholder = &variable;
    Variable* outer = std::exchange(placeholder_, &variable);
    expression(node.right);
    placeholder_ = outer;
  }

  void call(Call& node) {
    if (node.callee->is(NodeKind::Identifier)) {
      auto& callee = node.callee->as<Identifier>();
      identifier(callee, true);
      if (!callee.variable && block_ && acquires(callee.name)) {
        block_->acquires = true;
        note_cleanup();
      }
      check_arity(node, callee);
      check_deprecated(callee);
    } else {
      expression(node.callee);
    }
    expressions(node.args);
  }

  bool acquires(std::string_view name) const {
    auto builtin = catalog_.find(name);
    return builtin && has(builtin->flags, bytecode::BuiltinFlags::Acquires);
  }

  void check_deprecated(const Identifier& callee) {
    if (!callee.variable || !callee.variable->declaration) return;
    if (!callee.variable->declaration->is(NodeKind::Function)) return;
    for (const Attribute& attribute : callee.variable->declaration->as<Function>().attributes) {
      if (attribute.name.text != "deprecated") continue;
      std::string since, replacement;
      for (const AttributeArg& arg : attribute.args) {
        if (arg.name.text == "since") since = fmt::format(" (since {})", arg.value->text);
        if (arg.name.text == "use") replacement = std::string(arg.value->text);
      }
      auto report = sink_.report(Code::DeprecatedCall, module_.source, callee.span, callee.name, since);
      if (!replacement.empty()) report.help(fmt::format("use `{}` instead", replacement));
    }
  }

  void check_arity(const Call& node, const Identifier& callee) {
    for (Node* arg : node.args) {
      if (arg->is(NodeKind::Spread)) return;
    }
    size_t given = node.args.size();
    if (callee.variable) {
      auto* declaration = callee.variable->declaration;
      if (names_.resolution.candidates.contains(&callee)) return;
      if (!declaration || !declaration->is(NodeKind::Function) || callee.variable->assigned) return;
      size_t most = 0, least = 0;
      for (const Param& param : declaration->as<Function>().params) {
        if (param.rest) most = SIZE_MAX;
        else if (most != SIZE_MAX) ++most;
        if (!param.rest && !param.default_value) ++least;
      }
      if (given >= least && given <= most) return;
      sink_.report(Code::WrongArgumentCount, module_.source, node.span, callee.name, expected_count(least, most), given)
          .label(module_.source, callee.variable->span, "declared here");
      return;
    }
    auto builtin = catalog_.find(callee.name);
    if (!builtin) return;
    const bytecode::Signature& signature = builtin->signature;
    size_t most = signature.most() == bytecode::Signature::kAnyNumber ? SIZE_MAX : signature.most();
    if (given >= signature.least() && given <= most) return;
    sink_
        .report(Code::BuiltinArgumentCount, module_.source, node.span, callee.name,
                expected_count(signature.least(), most), given)
        .help(signature.shown(callee.name));
  }

  static std::string expected_count(size_t least, size_t most) {
    if (most == SIZE_MAX) return fmt::format("at least {}", text::plural(least, "argument"));
    if (least == most) return text::plural(least, "argument");
    return fmt::format("{} to {}", least, text::plural(most, "argument"));
  }

  // `ns.name(...)` where no variable is called `ns`: a builtin with a dot in its name.
  bool is_namespaced(Node* object, std::string_view name) {
    if (!object->is(NodeKind::Identifier)) return false;
    auto& owner = object->as<Identifier>();
    if (scopes_.find(owner.name)) return false;
    return catalog_.find(fmt::format("{}.{}", owner.name, name)).has_value();
  }

  void method_call(MethodCall& node) {
    if (!is_namespaced(node.object, node.name.text)) expression(node.object);
    expressions(node.args);
  }

  void member(Member& node) {
    if (!is_namespaced(node.object, node.name.text)) expression(node.object);
  }

  void try_star(TryStar& node) {
    if (scopes_.function()->kind == FunctionInfo::Kind::Module) {
      sink_.report(Code::TryStarOutsideFunction, module_.source, node.span);
    }
    expression(node.operand);
  }

  void if_else(Node* node) {
    for (;;) {
      auto& branch = node->as<If>();
      expression(branch.condition);
      body(branch.then_block);
      if (!branch.else_branch) return;
      if (!branch.else_branch->is(NodeKind::If)) return body(&branch.else_branch->as<Block>());
      node = branch.else_branch;
    }
  }

  void match(Match& node) {
    expression(node.subject);
    for (MatchArm& arm : node.arms) {
      // The names a pattern binds belong to the arm; what the body declares leaks as usual.
      scopes_.in_body([&] {
        BoundNames bound;
        match_pattern(*arm.pattern, bound);
        optional(arm.guard);
        body(arm.body);
      });
    }
  }

  void match_pattern(MatchPattern& pattern, BoundNames& bound) {
    switch (pattern.kind) {
      case MatchPatternKind::Wildcard: return;
      case MatchPatternKind::Bind: return bind_pattern(pattern, bound);
      case MatchPatternKind::Value: return expression(pattern.value);
      case MatchPatternKind::Variant:
        if (!pattern.value) bare_variant(pattern);
        else if (!qualified_variant(pattern)) return;
        break;
      case MatchPatternKind::List:
      case MatchPatternKind::Dict:
      case MatchPatternKind::Or: break;
    }
    for (size_t i = 0; i < pattern.items.size(); ++i) {
      MatchPattern& item = *pattern.items[i];
      bool is_key = pattern.kind == MatchPatternKind::Dict && item.span == pattern.keys[i].span;
      if (is_key) item.variable = declare_bound(item.name, bound);  // `{name}`
      else match_pattern(item, bound);
    }
    if (pattern.has_rest) pattern.variable = declare_bound(pattern.name, bound);
  }

  Variable* declare_bound(const Name& name, BoundNames& bound) {
    note_bound(bound, name);
    return scopes_.declare_private(name, true);
  }

  // A name binds, unless it is a variant.
  void bind_pattern(MatchPattern& pattern, BoundNames& bound) {
    std::string_view name = pattern.name.text;
    if (name[0] >= 'A' && name[0] <= 'Z') {
      VisibleVariants visible = visible_variants();
      if (!visible.named(name, 0).empty()) {
        pattern.kind = MatchPatternKind::Variant;
        bare_variant(pattern);
        return;
      }
      warn_binding(pattern, visible);
    } else if (Variable* known = scopes_.find(name); known && known->is_const) {
      warn_binding(pattern, {});
    }
    pattern.variable = declare_bound(pattern.name, bound);
  }

  // A constant, or a capitalised name that means something already, looks like a comparison, but matches
  // anything.
  void warn_binding(const MatchPattern& pattern, const VisibleVariants& visible) {
    std::string_view name = pattern.name.text;
    auto close = text::close_names(name, visible.names());
    bool is_known = scopes_.find(name) != nullptr;
    if (!is_known && close.empty()) return;
    auto report = sink_.report(Code::PatternBinds, module_.source, pattern.span, name);
    report.label("matches every value");
    if (is_known) report.help(fmt::format("to compare, write `({})` in parentheses", name));
    else report.help(fmt::format("did you mean the variant `{}`?", close[0]));
  }

  VisibleVariants visible_variants() {
    VisibleVariants out;
    auto add = [&](const Variable* variable) {
      if (variable->declaration && variable->declaration->is(NodeKind::Enum)) {
        out.add(variable->declaration->as<Enum>());
      }
    };
    for (const Scope* at = scopes_.scope(); at; at = at->parent) {
      for (Variable* variable : at->names()) add(variable);
    }
    for (auto& [name, variable] : names_.modules[&module_]) add(variable);
    out.add_result();
    return out;
  }

  // `Enum.Variant(...)`. False when it is not a variant pattern after all.
  bool qualified_variant(MatchPattern& pattern) {
    auto& owner = pattern.value->as<Identifier>();
    Variable* known = scopes_.find(owner.name);
    bool is_result = known && known == names_.predefined[kGlobalResult];
    if (!is_result) identifier(owner, false);
    const Node* declaration = known ? known->declaration : nullptr;
    if (!is_result && !(declaration && declaration->is(NodeKind::Enum))) {
      pattern_of_value(pattern);
      return false;
    }
    auto variants = variants_of(is_result ? nullptr : &declaration->as<Enum>());
    std::vector<std::string_view> offered;
    for (const VariantInfo& variant : variants) {
      if (variant.name == pattern.name.text) {
        take_variant(pattern, variant);
        return true;
      }
      offered.push_back(variant.name);
    }
    std::string_view name = is_result ? owner.name : declaration->as<Enum>().name.text;
    auto report = sink_.report(Code::UnknownVariant, module_.source, pattern.name.span, pattern.name.text, name);
    auto close = text::close_names(pattern.name.text, offered);
    if (close.empty()) return true;
    report.help(fmt::format("did you mean `{}`?", close[0]));
    report.fix({fmt::format("use `{}`", close[0]), pattern.name.span, std::string(close[0]), false});
    return true;
  }

  // `Thing.part` where Thing is no enum: compared with the value that it has.
  void pattern_of_value(MatchPattern& pattern) {
    auto& owner = pattern.value->as<Identifier>();
    if (pattern.has_payload && owner.variable) {
      sink_.report(Code::BadMatchPattern, module_.source, pattern.span, fmt::format("`{}` is not an enum", owner.name));
    }
    auto* member = module_.tree->arena.make<Member>();
    member->kind = NodeKind::Member;
    member->span = pattern.span;
    member->object = pattern.value;
    member->name = pattern.name;
    pattern.kind = MatchPatternKind::Value;
    pattern.value = member;
  }

  // `Variant(...)` or `Variant`: the enum is the one in scope that has it.
  void bare_variant(MatchPattern& pattern) {
    VisibleVariants visible = visible_variants();
    auto found = visible.named(pattern.name.text, pattern.items.size());
    if (found.size() == 1) return take_variant(pattern, found[0]);
    if (found.empty()) {
      auto report = sink_.report(Code::BadMatchPattern, module_.source, pattern.span,
                                 fmt::format("`{}` is not a variant of an enum in scope", pattern.name.text));
      auto close = text::close_names(pattern.name.text, visible.names());
      if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
      else report.help("to compare with the value of an expression, put it in parentheses");
      return;
    }
    sink_
        .report(Code::BadMatchPattern, module_.source, pattern.span,
                fmt::format("`{}` is a variant of `{}` and of `{}`", pattern.name.text, found[0].owner, found[1].owner))
        .help(fmt::format("write `{}.{}` or `{}.{}`", found[0].owner, pattern.name.text, found[1].owner,
                          pattern.name.text));
  }

  void take_variant(MatchPattern& pattern, const VariantInfo& variant) {
    pattern.owner = variant.type;
    if (pattern.items.size() == variant.values) return;
    sink_.report(Code::PatternValueCount, module_.source, pattern.span,
                 fmt::format("{}.{}", variant.owner, variant.name), text::plural(variant.values, "value"),
                 pattern.items.size());
  }

  void try_catch(Try& node) {
    block(node.body);
    if (node.has_catch) {
      node.catch_scope = scopes_.in_scope([&] {
        type(node.error_type);
        node.error_variable = scopes_.declare_private(node.error_name, true);
        block(node.catch_block);
      });
    }
    if (!node.finally_block) return;
    note_cleanup();
    block(node.finally_block);
  }

  void select(Select& node) {
    for (SelectCase& option : node.cases) {
      optional(option.source);
      option.scope = scopes_.in_scope([&] {
        option.variable = scopes_.declare_private(option.binding, true);
        block(option.body);
      });
    }
  }

  modules::Module& module_;
  ProgramNames& names_;
  const Catalog& catalog_;
  diag::Sink& sink_;
  ResolveOptions options_;
  Scopes scopes_;
  std::vector<WaitingFunction> waiting_;
  std::vector<UnknownName> unknown_;
  std::unordered_set<std::string_view> overrides_;
  Variable* placeholder_ = nullptr;
  std::vector<TypeName> type_names_;
  std::vector<std::string_view> generics_;      // type parameters in scope
  Block* block_ = nullptr;                      // the innermost; null at the top level
  std::unordered_set<const Block*> inherited_;  // bodies with what other pipelines declare as well
  int loop_depth_ = 0;
  Barrier barrier_ = Barrier::None;
};

}  // namespace

FunctionInfo* resolve_module(modules::Module& module, ProgramNames& names, const Catalog& catalog, diag::Sink& sink,
                             ResolveOptions options) {
  return Resolver(module, names, catalog, sink, options).run();
}

}  // namespace harn::compile
