#include "compile/leaves.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

bool is_owned(const TypeNode* type) { return type && type->kind == TypeKind::Named && type->name.text == "owned"; }

void Resolver::report_misplaced(const Node& node, std::string_view what) {
  sink_.report(Code::NotSupportedYet, module_.source, node.span, fmt::format("{} inside a block", what))
      .help("move it to the top level of the file");
}

void Resolver::visit(const Import& node) {
  if (!scopes_.is_outermost()) report_misplaced(node, "an import");
}

// ---- variables ----

void Resolver::visit(const Let& node) {
  type(node.type);
  read(node.value);
  pattern(*node.pattern, node.is_var, Declare::Leaking);
  name_closure(node);
  // Other patterns may have no field at all: `let [] = xs`.
  Variable* named = node.pattern->kind == PatternKind::Name ? bindings_.variable(node.pattern->fields[0]) : nullptr;
  if (named && node.type) named->type = node.type;
  if (named && is_owned(node.type)) {
    named->is_owned = true;
    note_cleanup();
  }
  Span keyword{node.span.start, node.span.start + 3};
  if (node.is_var || module_.source->text(keyword) != "let") return;
  for (const PatternField& field : node.pattern->fields) {
    if (Variable* variable = bindings_.variable(field)) variable->keyword = keyword;
  }
}

// `let f = { n -> ... f(n - 1) ... }`: nobody can call the closure before it has its name.
void Resolver::name_closure(const Let& node) {
  if (node.pattern->kind != PatternKind::Name || !node.value->is(NodeKind::Closure)) return;
  Variable* variable = bindings_.variable(node.pattern->fields[0]);
  if (!variable) return;
  FunctionInfo& info = *bindings_.function(*node.value);
  scopes_.made_here(info);
  if (!variable->function) variable->function = &info;
}

void Resolver::visit(const Const& node) {
  type(node.type);
  read(node.value);
  Variable* variable = bindings_.bind(node, scopes_.declare(node.name, false));
  if (variable) variable->is_const = true;
}

void Resolver::visit(const Assign& node) {
  read(node.value);
  target(*node.target);
}

void Resolver::target(const Node& node) {
  if (node.is(NodeKind::Member)) return target(*node.as<Member>().object);
  if (node.is(NodeKind::Index)) {
    target(*node.as<Index>().object);
    return read(node.as<Index>().index);
  }
  if (!node.is(NodeKind::Identifier)) return read(&node);
  auto& name = node.as<Identifier>();
  identifier(name, false);
  if (Variable* variable = bindings_.variable(name)) note_assignment(*variable, name);
}

void Resolver::note_assignment(Variable& variable, const Identifier& at, Code code) {
  if (!variable.declared && variable.kind == Variable::Kind::Global && !variable.declaration &&
      scopes_.function()->kind == FunctionInfo::Kind::Module) {
    return assigned_too_early(variable, at);
  }
  if (scopes_.assign(at, variable)) return;
  std::string_view how = variable.is_parameter  ? "a parameter"
                         : variable.is_const    ? "a constant"
                         : variable.declaration ? "a declaration"
                                                : "declared with `let`";
  auto report = sink_.report(code, module_.source, at.span, at.name, how);
  report.label(code == Code::ImmutableAssign ? "assigned here" : "the block may write it");
  if (variable.is_parameter) report.help("copy it to a `var` first");
  if (variable.keyword.end == 0) return;
  report.label(source_of(variable), variable.span, "declared here");
  report.fix({"declare it with `var`", variable.keyword, "var", false});
}

// The file's own code reaches the assignment before the declaration: there is no variable yet.
void Resolver::assigned_too_early(const Variable& variable, const Identifier& at) {
  bindings_.bind(at, nullptr);
  if (!options_.unknown_variables) return;
  sink_.report(Code::UnknownVariable, module_.source, at.span, at.name)
      .label("assigned before it is declared")
      .label(module_.source, variable.span, "declared here");
}

// ---- loops, and what leaves them ----

void Resolver::visit(const For& node) {
  read(node.iterable);
  scopes_.in_scope(node.id, [&] {
    pattern(*node.pattern, true, Declare::Private);
    loop(*node.body);
  });
}

void Resolver::visit(const While& node) {
  read(node.condition);
  loop(*node.body);
}

void Resolver::loop(const Block& body) {
  ++loop_depth_;
  block(body);
  --loop_depth_;
}

void Resolver::visit(const Break& node) { loop_control(node, "break"); }

void Resolver::visit(const Continue& node) { loop_control(node, "continue"); }

void Resolver::loop_control(const Node& node, std::string_view word) {
  if (loop_depth_ > 0) return;
  if (barrier_ == Barrier::Defer) {
    sink_.report(Code::LoopControlInDefer, module_.source, node.span, word)
        .label("the loop is outside of the `defer` block")
        .help("a deferred block runs when its scope is being left already; set a variable and test it in the loop");
    return;
  }
  sink_.report(Code::LoopControlOutsideLoop, module_.source, node.span, word)
      .label(barrier_ == Barrier::Function ? "the loop is outside of this function" : "not inside a `for` or `while`");
}

void Resolver::visit(const Defer& node) {
  note_cleanup();
  Barrier outer = std::exchange(barrier_, loop_depth_ > 0 ? Barrier::Defer : barrier_);
  int depth = std::exchange(loop_depth_, 0);
  block(*node.body);
  loop_depth_ = depth;
  barrier_ = outer;
}

void Resolver::visit(const Guard& node) {
  read(node.condition);
  body(*node.else_block);
  if (leaves(*node.else_block, [&](const Call& call) { return never_returns(call); })) return;
  if (module_.doubts.touch(node.span)) return;
  sink_.report(Code::GuardFallsThrough, module_.source, {node.span.start, node.span.start + 5})
      .label("what follows runs although the condition does not hold")
      .help("end the `else` block with `return`, `throw`, `break` or `continue`, or use `if`");
}

bool Resolver::never_returns(const Call& call) const {
  if (!call.callee->is(NodeKind::Identifier)) return false;
  auto& callee = call.callee->as<Identifier>();
  const Variable* variable = bindings_.variable(callee);
  if (!variable) {
    auto builtin = catalog_.find(callee.name);
    return builtin && builtin->signature.never_returns();
  }
  if (!variable->declaration || !variable->declaration->is(NodeKind::Function)) return false;
  const TypeNode* type = variable->declaration->as<Function>().return_type;
  return type && type->kind == TypeKind::Named && type->name.text == "never";
}

// ---- what a function gives back ----

void Resolver::visit(const Return& node) {
  read(node.value);
  if (node.value) check_escape(*node.value, *scopes_.function());
}

void Resolver::check_escape(const Node& value, const FunctionInfo& function) {
  if (!value.is(NodeKind::Identifier)) return;
  auto& name = value.as<Identifier>();
  const Variable* variable = bindings_.variable(name);
  if (!variable || !variable->is_owned || function.returns_owned || variable->owner != &function) return;
  sink_.report(Code::OwnedEscapes, module_.source, name.span, name.name)
      .label(module_.source, variable->span, "closed when this scope ends")
      .help("declare the function's return type as `owned<...>` to hand it to the caller");
}

void Resolver::visit(const Yield& node) {
  read(node.value);
  FunctionInfo& function = *scopes_.function();
  if (function.is_stream) {
    sink_.report(Code::BadConstruct, module_.source, node.span,
                 "`yield` is not a stream emit; use `emit` inside a `gen fn`");
  }
  if (function.kind != FunctionInfo::Kind::Function && function.kind != FunctionInfo::Kind::Closure) {
    sink_.report(Code::YieldOutsideFunction, module_.source, node.span);
  }
  function.has_yield = true;
}

void Resolver::visit(const Emit& node) {
  read(node.value);
  if (!scopes_.function()->is_stream) {
    sink_.report(Code::BadConstruct, module_.source, node.span, "`emit` can only be used inside a `gen fn`")
        .help("declare the function with `gen fn`");
  }
  scopes_.function()->has_yield = true;
}

}  // namespace harn::compile
