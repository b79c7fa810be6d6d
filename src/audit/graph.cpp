#include "audit/graph.h"

#include "base/fmt.h"
#include "syntax/children.h"

namespace harn::audit {

using namespace syntax;

namespace {

constexpr uint32_t kNone = Step::kNone;

class Builder {
 public:
  Builder(const Body& body, Callables& callables)
      : body_(body), callables_(callables), bindings_(callables.program().bindings(*body.module)) {}

  Graph build() {
    at_ = add({.span = body_.declaration->span, .note = fmt::format("`{}` begins", body_.name)});
    for (const Param& param : body_.params) visit(param.default_value);
    visit(body_.block);
    leave();
    return std::move(graph_);
  }

 private:
  // ---- steps ----

  uint32_t add(Step step) {
    step.fail = catch_;
    graph_.steps.push_back(std::move(step));
    return static_cast<uint32_t>(graph_.steps.size() - 1);
  }
  void link(uint32_t from, uint32_t to) {
    if (from != kNone) graph_.steps[from].next.push_back(to);
  }
  // The next step on the way that is being written. Nothing is added where control never comes.
  uint32_t follow(Step step) {
    if (at_ == kNone) return kNone;
    uint32_t made = add(std::move(step));
    link(at_, made);
    return at_ = made;
  }
  uint32_t note(const Node& node, std::string text) { return follow({.span = node.span, .note = std::move(text)}); }
  // Several ways become one.
  void join(std::initializer_list<uint32_t> ends) {
    uint32_t made = kNone;
    for (uint32_t end : ends) {
      if (end == kNone) continue;
      if (made == kNone) made = add({});
      link(end, made);
    }
    at_ = made;
  }
  // A `return`: through the `finally` around it, if there is one, and out.
  void leave() {
    if (at_ == kNone) return;
    if (finally_ != kNone) link(at_, finally_);
    else if (!aside_) graph_.steps[at_].leaves = true;
    at_ = kNone;
  }

  // ---- nodes ----

  void visit(const Node* node) {
    if (node && at_ != kNone) visit(*node);
  }
  void visit_children(const Node& node) {
    for_each_child(node, [&](const Node& child) { visit(&child); });
  }

  void visit(const Node& node) {
    switch (node.kind) {
      // Declarations inside of a body do nothing where they stand.
      case NodeKind::Function:
      case NodeKind::Tool:
      case NodeKind::Pipeline:
      case NodeKind::Struct:
      case NodeKind::Enum:
      case NodeKind::TypeAlias:
      case NodeKind::Interface:
      case NodeKind::Impl: return;
      case NodeKind::Closure: return aside(node.as<Closure>().params, *node.as<Closure>().body, node, 0);
      case NodeKind::Identifier: return mention(node);
      case NodeKind::Call: return call(node.as<Call>());
      case NodeKind::MethodCall: return method_call(node.as<MethodCall>());
      case NodeKind::HumanCall: return human_call(node.as<HumanCall>());
      case NodeKind::Pipe: return pipe(node.as<Pipe>());
      case NodeKind::Let: return let(node.as<Let>());
      case NodeKind::Const: {
        const compile::Variable* constant = bindings_.variable(node.as<Const>());
        if (constant) callables_.note_value(*constant, *node.as<Const>().value);
        return visit(node.as<Const>().value);
      }
      case NodeKind::Assign: return assign(node.as<Assign>());
      case NodeKind::Binary: return binary(node.as<Binary>());
      case NodeKind::Ternary: {
        auto& ternary = node.as<Ternary>();
        visit(ternary.condition);
        return branch(*ternary.condition, ternary.then_value, ternary.else_value);
      }
      case NodeKind::If: {
        auto& choice = node.as<If>();
        visit(choice.condition);
        return branch(*choice.condition, choice.then_block, choice.else_branch);
      }
      case NodeKind::Guard: {
        auto& guard = node.as<Guard>();
        visit(guard.condition);
        return branch(*guard.condition, nullptr, guard.else_block);
      }
      case NodeKind::Require: {
        auto& require = node.as<Require>();
        visit(require.condition);
        return branch(*require.condition, nullptr, require.message, Ends::Yes);
      }
      case NodeKind::Match: return match(node.as<Match>());
      case NodeKind::For: {
        auto& loop = node.as<For>();
        visit(loop.iterable);
        return this->loop(node, nullptr, *loop.body, "for an item");
      }
      case NodeKind::While: {
        auto& loop = node.as<While>();
        return this->loop(node, loop.condition, *loop.body, "the condition is true");
      }
      case NodeKind::Retry: return retry(node.as<Retry>());
      case NodeKind::Try: return try_catch(node.as<Try>());
      case NodeKind::Parallel: {
        auto& parallel = node.as<Parallel>();
        visit(parallel.source);
        visit(parallel.max_concurrent);
        return aside(parallel.body->params, *parallel.body->body, node, 0);
      }
      case NodeKind::Spawn: return aside({}, *node.as<Spawn>().body->body, node, 0);
      case NodeKind::Defer: return aside({}, *node.as<Defer>().body, node, 0);
      case NodeKind::Select: return select(node.as<Select>());
      case NodeKind::Return: visit(node.as<Return>().value); return leave();
      case NodeKind::Throw:
        visit(node.as<Throw>().value);
        note(node, "throws");
        at_ = kNone;
        return;
      case NodeKind::Break: return jump(breaks_);
      case NodeKind::Continue: return jump(continues_);
      default: return visit_children(node);
    }
  }

  // `?` gives an error back to the caller; the way on is the one that matters. It may be left, too.
  enum class Ends : bool { No, Yes };
  void branch(const Node& condition, const Node* then_part, const Node* else_part, Ends else_ends = Ends::No) {
    uint32_t before = at_;
    if (before == kNone) return;
    note(condition, "the condition is true");
    visit(then_part);
    uint32_t then_end = at_;
    at_ = before;
    note(condition, "the condition is false");
    visit(else_part);
    if (else_ends == Ends::Yes) at_ = kNone;
    join({then_end, at_});
  }

  void binary(const Binary& node) {
    visit(node.left);
    bool is_short = node.op == BinaryOp::And || node.op == BinaryOp::Or || node.op == BinaryOp::Coalesce;
    if (!is_short) return visit(node.right);
    uint32_t before = at_;
    visit(node.right);
    if (at_ != before) join({before, at_});
  }

  void match(const Match& node) {
    visit(node.subject);
    uint32_t before = at_;
    if (before == kNone) return;
    uint32_t behind = add({});
    for (const MatchArm& arm : node.arms) {
      at_ = before;
      follow({.span = arm.pattern->span, .note = "this arm matches"});
      if (arm.guard) {
        visit(arm.guard);
        before = at_ == kNone ? before : at_;  // a guard that fails goes on with the next arm
      }
      visit(arm.body);
      link(at_, behind);
    }
    at_ = behind;
  }

  void loop(const Node& node, const Node* condition, const Block& body, std::string enters) {
    uint32_t head = follow({});
    visit(condition);
    uint32_t decided = at_;
    if (decided == kNone) return;
    uint32_t behind = add({});
    auto outer = std::tuple(breaks_, continues_, loop_finally_);
    breaks_ = behind;
    continues_ = head;
    loop_finally_ = finally_;
    note(condition ? *condition : node, std::move(enters));
    visit(&body);
    link(at_, head);
    std::tie(breaks_, continues_, loop_finally_) = outer;
    link(decided, behind);
    at_ = behind;
  }

  void jump(uint32_t to) {
    // Out of a `try` inside of the loop, it passes the `finally`.
    if (finally_ != loop_finally_ && finally_ != kNone) link(at_, finally_);
    else if (to != kNone) link(at_, to);
    at_ = kNone;
  }

  // It gives nil when every attempt has failed, so any step of the body may be the last one.
  void retry(const Retry& node) {
    visit(node.count);
    uint32_t head = follow({});
    if (head == kNone) return;
    uint32_t outer = catch_, behind = add({});
    uint32_t failed = add({.span = node.span, .note = "an attempt fails"});
    link(failed, head);
    link(failed, behind);
    catch_ = failed;
    note(node, "an attempt begins");
    visit(node.body);
    catch_ = outer;
    link(at_, behind);
    at_ = behind;
  }

  void try_catch(const Try& node) {
    if (at_ == kNone) return;
    uint32_t outer_catch = catch_, outer_finally = finally_;
    uint32_t finally_start = node.finally_block ? add({}) : kNone;
    // Without a catch an error is a value (`try { }` alone), or leaves through the `finally`.
    uint32_t handler =
        add({.span = node.catch_block ? node.catch_block->span : node.span, .note = "an error is caught"});
    if (node.finally_block) finally_ = finally_start;
    catch_ = handler;
    at_ = at_ == kNone ? kNone : (note(node, ""), at_);
    visit(node.body);
    uint32_t body_end = at_;
    catch_ = outer_catch;
    at_ = handler;
    if (node.catch_block) visit(node.catch_block);
    uint32_t catch_end = at_;
    finally_ = outer_finally;
    join({body_end, catch_end});
    if (!node.finally_block) return;
    link(at_, finally_start);
    at_ = finally_start;
    visit(node.finally_block);
    // It may have been on the way out.
    if (at_ == kNone) return;
    uint32_t end = at_;
    at_ = add({});
    link(end, at_);
    uint32_t on = add({});
    link(at_, on);
    uint32_t out = add({});
    link(at_, out);
    at_ = out;
    leave();
    if (breaks_ != kNone) {
      link(end, breaks_);
      link(end, continues_);
    }
    at_ = on;
  }

  void select(const Select& node) {
    for (const SelectCase& one : node.cases) visit(one.source);
    uint32_t before = at_;
    if (before == kNone) return;
    uint32_t behind = add({});
    for (const SelectCase& one : node.cases) {
      at_ = before;
      note(*one.body, "this case is taken");
      visit(one.body);
      link(at_, behind);
    }
    at_ = behind;
  }

  // Code that runs now, later, or never: a way of its own, and the one that goes on without it.
  void aside(List<Param> params, const Block& body, const Node& node, Gates gates) {
    uint32_t before = at_;
    if (before == kNone) return;
    auto outer = std::tuple(breaks_, continues_, loop_finally_, finally_, aside_, catch_);
    breaks_ = continues_ = loop_finally_ = finally_ = catch_ = kNone;
    aside_ = true;
    follow({.kind = Step::Kind::Gate, .span = node.span, .note = "this code runs", .grants = gates});
    for (const Param& param : params) visit(param.default_value);
    visit(&body);
    std::tie(breaks_, continues_, loop_finally_, finally_, aside_, catch_) = outer;
    at_ = before;
  }

  // A function as a value: somebody may call it.
  void mention(const Node& node, Gates gates = 0) {
    Target target = callables_.target(node, *body_.module);
    bool does_something = target.body || !target.builtin.empty();
    if (!does_something) return;
    uint32_t before = at_;
    if (gates) follow({.kind = Step::Kind::Gate, .span = node.span, .grants = gates});
    follow({.kind = Step::Kind::Call,
            .node = &node,
            .span = node.span,
            .body = target.body,
            .builtin = target.builtin,
            .ends_aside = true});
    at_ = before;
  }

  void argument(const Node& arg, Gates gates) {
    const Node& value = arg.is(NodeKind::NamedArgument) ? *arg.as<NamedArgument>().value : arg;
    if (value.is(NodeKind::Closure)) {
      auto& closure = value.as<Closure>();
      return aside(closure.params, *closure.body, value, gates);
    }
    if (value.is(NodeKind::Identifier)) return mention(value, gates);
    visit(value);
  }

  void call(const Call& node) {
    Target target = callables_.target(*node.callee, *body_.module);
    Gates gates = target.builtin.empty() ? Gates(0) : effect_of(target.builtin, callables_.program().catalog).encloses;
    bool is_named = node.callee->is(NodeKind::Identifier);
    if (!is_named) visit(node.callee);
    for (const Node* arg : node.args) argument(*arg, gates);
    follow({.kind = Step::Kind::Call,
            .node = &node,
            .span = node.span,
            .note = target.body ? fmt::format("calls `{}`", target.body->name) : "",
            .body = target.body,
            .builtin = target.builtin,
            .args = node.args});
    auto info = target.builtin.empty() ? std::nullopt : callables_.program().catalog.find(target.builtin);
    if (info && info->signature.never_returns()) at_ = kNone;
  }

  // Which method it is depends on the value: each of that name may be the one.
  void method_call(const MethodCall& node) {
    visit(node.object);
    for (const Node* arg : node.args) argument(*arg, 0);
    if (std::string path = dotted(node); path.starts_with("harness.") || path.starts_with("_harness.")) {
      follow({.kind = Step::Kind::Call, .node = &node, .span = node.span, .args = node.args});
      return;
    }
    const auto& methods = callables_.methods(node.name.text);
    uint32_t before = at_;
    if (methods.empty() || before == kNone) return;
    uint32_t behind = add({});
    for (const Body* method : methods) {
      at_ = before;
      follow({.kind = Step::Kind::Call,
              .node = &node,
              .span = node.span,
              .note = fmt::format("calls `{}`", method->name),
              .body = method});
      link(at_, behind);
    }
    link(before, behind);  // a value of a builtin type
    at_ = behind;
  }

  void human_call(const HumanCall& node) {
    Gates gates = node.which == HumanCallKind::DualControl ? bit(Gate::Approval) : Gates(0);
    follow({.kind = Step::Kind::Call, .node = &node, .span = node.span, .args = node.args});
    for (const Node* arg : node.args) argument(*arg, gates);
    if (node.which == HumanCallKind::RequestApproval) {
      follow({.kind = Step::Kind::Gate, .span = node.span, .grants = bit(Gate::Approval)});
    }
  }

  void pipe(const Pipe& node) {
    visit(node.left);
    if (!node.right->is(NodeKind::Identifier)) return visit(node.right);
    Target target = callables_.target(*node.right, *body_.module);
    if (!target.body && target.builtin.empty()) return;
    follow({.kind = Step::Kind::Call,
            .node = &node,
            .span = node.right->span,
            .note = target.body ? fmt::format("calls `{}`", target.body->name) : "",
            .body = target.body,
            .builtin = target.builtin,
            .args = NodeList(&node.left, 1)});
  }

  void let(const Let& node) {
    const compile::Variable* variable =
        node.pattern->kind == PatternKind::Name ? bindings_.variable(node.pattern->fields[0]) : nullptr;
    if (variable) callables_.note_value(*variable, *node.value);
    if (variable && node.value->is(NodeKind::Closure) && !variable->assigned) {
      return callables_.note_closure(*variable, node.value->as<Closure>(), *body_.module);
    }
    visit(node.value);
    for (const PatternField& field : node.pattern->fields) visit(field.default_value);
  }

  void assign(const Assign& node) {
    visit(node.value);
    if (!node.target->is(NodeKind::Identifier)) visit_children(*node.target);
    follow({.kind = Step::Kind::Assign, .node = &node, .span = node.span});
  }

  const Body& body_;
  Callables& callables_;
  const compile::Bindings& bindings_;
  Graph graph_;
  uint32_t at_ = kNone;  // kNone: control does not come here
  uint32_t breaks_ = kNone, continues_ = kNone, catch_ = kNone;
  uint32_t finally_ = kNone, loop_finally_ = kNone;
  bool aside_ = false;  // in code that does not give control back to what follows
};

}  // namespace

Graph make_graph(const Body& body, Callables& callables) { return Builder(body, callables).build(); }

std::string dotted(const Node& node) {
  if (node.is(NodeKind::Identifier)) return std::string(node.as<Identifier>().name);
  const Node* object = nullptr;
  std::string_view name;
  if (node.is(NodeKind::Member)) {
    object = node.as<Member>().object;
    name = node.as<Member>().name.text;
  } else if (node.is(NodeKind::MethodCall)) {
    object = node.as<MethodCall>().object;
    name = node.as<MethodCall>().name.text;
  } else if (node.is(NodeKind::Index) && node.as<Index>().index->is(NodeKind::StringLiteral)) {
    object = node.as<Index>().object;
    name = node.as<Index>().index->as<StringLiteral>().value;
  }
  if (!object) return "";
  std::string before = dotted(*object);
  return before.empty() ? "" : fmt::format("{}.{}", before, name);
}

}  // namespace harn::audit
