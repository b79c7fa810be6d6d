#include <algorithm>

#include "compile/emitter.h"
#include "compile/runs.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

bool FunctionCompiler::has_spread(NodeList args) const {
  for (const Node* arg : args) {
    if (arg->is(NodeKind::Spread)) return true;
  }
  return args.size() > 100;  // too many for registers: they go through a list
}

// Whether the variable that an expression begins with may as well be read after the rest of it. Then what is built
// from it can be built in it, if it is not read again.
bool FunctionCompiler::can_read_late(const Node* first, const std::vector<const Node*>& rest) const {
  if (!first->is(NodeKind::Identifier) || !variable_of(*first) || candidates(*first)) return false;
  Runs what = own_register(first) >= 0 ? Runs::Statements : Runs::Code;
  return std::none_of(rest.begin(), rest.end(), [&](const Node* node) { return may_run(node, what); });
}

// `[...xs, a, b]`
bool FunctionCompiler::spread_last(NodeList args, Reg to) {
  constexpr size_t kMost = 32;
  if (args.size() > kMost || !args[0]->is(NodeKind::Spread)) return false;
  std::vector<const Node*> rest(args.begin() + 1, args.end());
  for (const Node* arg : rest) {
    if (arg->is(NodeKind::Spread)) return false;
  }
  if (!can_read_late(args[0]->as<Spread>().operand, rest)) return false;
  int mark = next_;
  Reg values = temps(static_cast<int>(rest.size()));
  for (size_t i = 0; i < rest.size(); ++i) expression(rest[i], values + static_cast<int>(i));
  emit(Op::NewList, to, 0, 0);
  spread(args[0]->as<Spread>(), to);
  for (size_t i = 0; i < rest.size(); ++i) emit(Op::ListPush, to, values + static_cast<int>(i));
  release_to(mark);
  return true;
}

// The items as one list, for calls and lists with `...`.
void FunctionCompiler::spread_args(NodeList args, Reg to) {
  if (!args.empty() && spread_last(args, to)) return;
  emit(Op::NewList, to, 0, 0);
  for (const Node* arg : args) {
    int mark = next_;
    if (arg->is(NodeKind::Spread)) {
      spread(arg->as<Spread>(), to);
    } else {
      Reg value = temp();
      expression(arg, value);
      emit(Op::ListPush, to, value);
    }
    release_to(mark);
  }
}

// Lists are copied by one instruction. Whatever else a `for` can go over is pulled by a loop, because
// a generator or channel may have to wait.
void FunctionCompiler::spread(const Spread& node, Reg list) {
  Reg source = temps(2);
  Reg item = temp();
  expression(node.operand, source);
  Label start, next, end;
  at(node.span);
  emit_jump(Op::ListSpread, list, source, 0, end);
  emit_jump(Op::ForPrep, source, next);
  bind(start);
  emit(Op::ListPush, list, item);
  bind(next);
  emit_jump(Op::ForLoop, source, item, 0, start);
  bind(end);
}

// A variable in a register is read after the other arguments, when they do not assign it: if one of them is its last
// reader but one, the call can have the value to itself. So is a captured value, which never changes. The first argument
// comes last, right before the call, which may use it where it is (vm/fused.def).
void FunctionCompiler::args(NodeList list, Reg first) {
  std::vector<bool> is_late(list.size());
  bool may_assign = false;
  for (size_t i = list.size(); i-- > 0;) {
    is_late[i] = (!may_assign && own_register(list[i]) >= 0) || is_captured_value(list[i]);
    may_assign = may_assign || may_run(list[i], Runs::Statements);
  }
  auto put = [&](size_t i) { expression(list[i], first + static_cast<int>(i)); };
  for (size_t i = 0; i < list.size(); ++i) {
    if (!is_late[i]) put(i);
  }
  for (size_t i = list.size(); i-- > 0;) {
    if (is_late[i]) put(i);
  }
}

void FunctionCompiler::place_result(Reg from, Reg to) {
  if (from != to) emit(Op::Steal, to, from);
}

void FunctionCompiler::call_builtin(uint32_t id, NodeList list, Reg to, Span span) {
  if (has_spread(list)) {
    Reg values = temp();
    spread_args(list, values);
    at(span);
    emit_x(Op::CallBuiltinSpread, to, values, 0, id);
    return;
  }
  Reg first = window(to, std::max<int>(1, static_cast<int>(list.size())));
  args(list, first);
  at(span);
  emit_x(Op::CallBuiltin, first, static_cast<uint32_t>(list.size()), 0, id);
  place_result(first, to);
}

void FunctionCompiler::call(const Call& node, Reg to, bool tail) {
  if (const Declaration* step = step_of(node.callee)) {
    call_step(*step, node.callee, node.args, to, node.span);
    if (tail) return_value(to);
    return;
  }
  const Identifier* name = node.callee->is(NodeKind::Identifier) ? &node.callee->as<Identifier>() : nullptr;
  if (name && !variable_of(*name)) {
    if (auto builtin = context_.catalog.find(name->name)) {
      call_builtin(builtin->id, node.args, to, node.span);
      if (tail) return_value(to);
      return;
    }
    bool early = context_.names.resolution.early.contains(name);
    raise(RaiseKind::Name, (early ? "Undefined variable: " : "Undefined builtin: ") + std::string(name->name),
          name->span);
    return;
  }
  uint32_t count = static_cast<uint32_t>(node.args.size());
  if (has_spread(node.args)) {
    Reg callee = temp();
    expression(node.callee, callee);
    Reg values = temp();
    spread_args(node.args, values);
    at(node.span);
    emit(Op::CallSpread, callee, values);
    place_result(callee, to);
    if (tail) return_value(to);
    return;
  }
  // A function declared at the top level is called where it is, without a copy in a register.
  const Variable* variable = name && !candidates(*name) ? variable_of(*name) : nullptr;
  bool direct = variable && variable->kind == Variable::Kind::Global && variable->declaration &&
                variable->declaration->is(NodeKind::Function) && !variable->assigned;
  bool self = variable && !direct && home_of(*variable) == Home::Self;
  if (direct || self) {
    Reg first = window(to, std::max<int>(1, static_cast<int>(count)));
    args(node.args, first);
    at(node.span);
    Op call = context_.is_prelude ? Op::CallLibrary : Op::CallGlobal;
    Op tail_call = context_.is_prelude ? Op::TailCallLibrary : Op::TailCallGlobal;
    if (direct) emit_x(tail ? tail_call : call, first, count, 0, variable->global);
    else emit(tail ? Op::TailCallSelf : Op::CallSelf, first, count);
    if (!tail) place_result(first, to);
    else emit(Op::Return, first);
    return;
  }
  // A variable is called where it is, if the arguments leave it alone.
  Reg own = tail ? -1 : own_register(node.callee);
  for (const Node* arg : node.args) {
    if (own >= 0 && may_run(arg, Runs::Statements)) own = -1;
  }
  if (own >= 0) {
    Reg first = window(to, std::max<int>(1, static_cast<int>(count)));
    args(node.args, first);
    at(node.span);
    emit(Op::CallLocal, first, count, own);
    place_result(first, to);
    return;
  }
  Reg callee = window(to, 1);
  expression(node.callee, callee);
  temps(static_cast<int>(count));
  args(node.args, callee + 1);
  at(node.span);
  emit(tail ? Op::TailCall : Op::Call, callee, count);
  if (!tail) place_result(callee, to);
  else emit(Op::Return, callee);
}

void FunctionCompiler::method_call(const MethodCall& node, Reg to) {
  if (node.object->is(NodeKind::Identifier) && !variable_of(*node.object)) {
    std::string name = std::string(node.object->as<Identifier>().name) + "." + std::string(node.name.text);
    if (auto builtin = context_.catalog.find(name)) {
      call_builtin(builtin->id, node.args, to, node.span);
      return;
    }
  }
  Label end;
  uint32_t count = static_cast<uint32_t>(node.args.size());
  bool spread = has_spread(node.args);
  // The receiver first, then room for the arguments behind it: a long chain of calls then uses the
  // same few registers over and over.
  Reg object = window(to, 1);
  // A variable is read after the arguments, as one of them would be (see `args`).
  Reg late = node.optional || spread ? -1 : own_register(node.object);
  for (const Node* arg : node.args) {
    if (late >= 0 && may_run(arg, Runs::Statements)) late = -1;
  }
  if (late < 0) expression(node.object, object);
  temps(spread ? 1 : static_cast<int>(count));
  if (node.optional) emit_jump(Op::JumpIfNil, object, end);  // arguments are not evaluated then
  if (spread) {
    spread_args(node.args, object + 1);
    at(node.name.span);
    emit_x(Op::CallMethodSpread, object, object + 1, 0, cache(node.name.text));
  } else {
    args(node.args, object + 1);
    if (late >= 0) emit(Op::Move, object, late);
    at(node.name.span);
    bool push = count == 1 && node.name.text == "push";
    emit_x(push ? Op::CallPush : Op::CallMethod, object, count, 0, cache(node.name.text));
  }
  bind(end);
  place_result(object, to);
}

void FunctionCompiler::pipe(const Pipe& node, Reg to) {
  if (node.has_placeholder) {
    // The piped value is a variable named `_` while the right side is evaluated.
    size_t mark = live_.size();
    Reg value = temp();
    expression(node.left, value);
    const Variable& placeholder = *variable_of(node);
    settle(placeholder, value);
    if (node.right->is(NodeKind::Closure)) {
      // A closure is called with the piped value, whatever it does with `_`.
      Reg callee = temps(2);
      expression(node.right, callee);
      emit(Op::Move, callee + 1, value);
      at(node.right->span);
      emit(Op::Call, callee, 1);
      place_result(callee, to);
    } else {
      expression(node.right, to);
    }
    release_variables(mark);
    return;
  }
  const Identifier* name = node.right->is(NodeKind::Identifier) ? &node.right->as<Identifier>() : nullptr;
  if (name && !variable_of(*name)) {
    if (auto builtin = context_.catalog.find(name->name)) {
      const Node* list[] = {node.left};
      call_builtin(builtin->id, list, to, node.span);
      return;
    }
  }
  if (const Declaration* step = step_of(node.right)) {
    const Node* list[] = {node.left};
    return call_step(*step, node.right, list, to, node.span);
  }
  // The left side is evaluated first, though the callee sits before it in the registers.
  Reg callee = window(to, 2);
  expression(node.left, callee + 1);
  expression(node.right, callee);
  at(node.right->span);
  emit(Op::Call, callee, 1, 1);  // C = 1: "cannot pipe into" instead of "cannot call"
  place_result(callee, to);
}

}  // namespace harn::compile
