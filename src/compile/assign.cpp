// Assignments: to variables, and into lists, dicts and structs that variables hold.
#include <algorithm>

#include "compile/candidates.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

static BinaryOp binary_of(AssignOp op) {
  switch (op) {
    case AssignOp::Add: return BinaryOp::Add;
    case AssignOp::Subtract: return BinaryOp::Subtract;
    case AssignOp::Multiply: return BinaryOp::Multiply;
    case AssignOp::Divide: return BinaryOp::Divide;
    default: return BinaryOp::Modulo;
  }
}

void FunctionCompiler::assign(Assign& node) {
  if (node.target->is(NodeKind::Identifier)) {
    assign_variable(node, node.target->as<Identifier>());
  } else {
    assign_path(node);
  }
}

void FunctionCompiler::assign_variable(Assign& node, Identifier& target) {
  Variable* variable = target.variable;
  if (!variable) {
    undefined(target.name, target.span);
    return;
  }
  const Resolution& names = context_.names.resolution;
  bool is_certain = !candidates(target) && variable->is_mutable && !names.immutable_targets.contains(&target) &&
                    !names.asking_targets.contains(&target);
  if (!is_certain) return assign_uncertain(node, target);
  bool in_register = home_of(*variable) == Home::Register;
  if (node.op != AssignOp::Set) {
    Reg value = in_register ? variable->reg : temp();
    if (!in_register) load(*variable, value);
    Reg right_first = value;
    if (!in_register && node.op == AssignOp::Add) {
      // As `x = x + v`: lets the update happen in place.
      Binary sum{};
      sum.kind = NodeKind::Binary;
      sum.span = node.span;
      sum.op = BinaryOp::Add;
      sum.left = &target;
      sum.right = node.value;
      sum.op_span = node.span;
      if (assign_update(*variable, &sum, node.span)) return;
    }
    arithmetic(binary_of(node.op), right_first, node.value, value, node.span);
    if (!in_register) store(*variable, value, target.span);
    return;
  }
  if (assign_update(*variable, node.value, node.span)) return;
  if (in_register) {
    // The old value must stay readable until the new one is complete: an expression that builds its
    // result in several steps builds it in a temporary.
    Reg value = variable->reg;
    bool stepwise = !node.value->is(NodeKind::Binary) && !node.value->is(NodeKind::IntLiteral) &&
                    !node.value->is(NodeKind::Identifier) && !node.value->is(NodeKind::StringLiteral) &&
                    !node.value->is(NodeKind::BoolLiteral) && !node.value->is(NodeKind::NilLiteral);
    if (stepwise) value = temp();
    expression(node.value, value);
    if (stepwise) emit(Op::Steal, variable->reg, value);
    return;
  }
  Reg value = temp();
  expression(node.value, value);
  store(*variable, value, target.span);
}

// What the name means, or whether it may be assigned, is only known when the value is.
void FunctionCompiler::assign_uncertain(Assign& node, Identifier& target) {
  Reg value = temp();
  if (node.op == AssignOp::Set) {
    expression(node.value, value);
  } else {
    load_name(target, *target.variable, target.name, value);
    arithmetic(binary_of(node.op), value, node.value, value, node.span);
  }
  store_name(target, value);
}

static bool mentions(Node* node, const Variable* variable);

// `x = x.push(v)` and `x = x + v`: the variable gives up its hold on the value before the update, so
// that it happens in place. For registers the liveness pass finds that out; here it is arranged for
// variables in cells and program variables, with a handler that puts the value back on an error.
bool FunctionCompiler::assign_update(Variable& variable, Node* value, Span span) {
  auto is_variable = [&](Node* node) {
    return node->is(NodeKind::Identifier) && node->as<Identifier>().variable == &variable;
  };
  Home home = home_of(variable);
  if (value->is(NodeKind::Binary) && value->as<Binary>().op == BinaryOp::Add) {
    std::vector<Binary*> chain;
    Node* leftmost = value;
    while (leftmost->is(NodeKind::Binary) && leftmost->as<Binary>().op == BinaryOp::Add) {
      chain.push_back(&leftmost->as<Binary>());
      leftmost = leftmost->as<Binary>().left;
    }
    if (!is_variable(leftmost)) return false;
    if (home == Home::Register && chain.size() == 1) return false;
    if (home != Home::Register && chain.size() > 1) return false;
    for (Binary* part : chain) {
      if (mentions(part->right, &variable)) return false;
    }
    if (home == Home::Register) {
      Reg partial = temp();
      emit(Op::Move, partial, variable.reg);  // becomes a move out: the variable is rewritten below
      for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        arithmetic(BinaryOp::Add, partial, (*at)->right, partial, (*at)->op_span);
      }
      emit(Op::Steal, variable.reg, partial);
      return true;
    }
    Reg left = temp();
    load(variable, left);
    Reg right = temp();
    expression(chain[0]->right, right);
    Place place;
    uint32_t index;
    place_of(variable, place, index);
    uint32_t start = here();
    emit_x(Op::ClearPlace, left, static_cast<uint32_t>(place), 0, index);
    at(chain[0]->op_span);
    emit(Op::Add, left, left, right);
    uint32_t end = here();
    store(variable, left, span);
    Label done;
    jump(done);
    uint32_t target = here();
    Reg error = right;
    store(variable, left, span);
    emit(Op::Rethrow, error);
    add_handler(start, end, target, error, true);
    bind(done);
    return true;
  }
  if (home == Home::Register || !value->is(NodeKind::MethodCall)) return false;
  auto& call = value->as<MethodCall>();
  if (!is_variable(call.object) || call.optional || has_spread(call.args)) return false;
  if (!context_.catalog.is_native_method(call.name.text)) return false;
  for (Node* arg : call.args) {
    if (mentions(arg, &variable)) return false;
  }
  uint32_t count = static_cast<uint32_t>(call.args.size());
  Reg object = temps(static_cast<int>(count) + 1);
  Reg error = temp();
  load(variable, object);
  args(call.args, object + 1);
  Place place;
  uint32_t index;
  place_of(variable, place, index);
  uint32_t start = here();
  emit_x(Op::ClearPlace, object, static_cast<uint32_t>(place), 1, index);
  at(call.name.span);
  bool push = count == 1 && call.name.text == "push";
  emit_x(push ? Op::CallPush : Op::CallMethod, object, count, 0, cache(call.name.text));
  uint32_t end = here();
  store(variable, object, span);
  Label done;
  jump(done);
  uint32_t target = here();
  store(variable, object, span);
  emit(Op::Rethrow, error);
  add_handler(start, end, target, error, true);
  bind(done);
  return true;
}

// Read every level on the way down, write them on the way up.
void FunctionCompiler::assign_long_path(Identifier& name, Reg keys, uint32_t count) {
  Reg levels = temps(static_cast<int>(count));
  auto level = [&](uint32_t i) { return levels + static_cast<int>(i); };
  auto key = [&](uint32_t i) { return keys + static_cast<int>(i); };
  load_name(name, *name.variable, name.name, level(0));
  for (uint32_t i = 1; i < count; ++i) emit(Op::GetIndex, level(i), level(i - 1), key(i - 1));
  emit(Op::SetIndex, level(count - 1), key(count - 1), key(count));
  for (uint32_t i = count - 1; i > 0; --i) emit(Op::SetIndex, level(i - 1), key(i - 1), level(i));
  store_name(name, level(0));
}

// Whether an expression reads the variable, or might (anything with statements in it).
static bool mentions(Node* node, const Variable* variable) {
  switch (node->kind) {
    case NodeKind::NilLiteral: case NodeKind::BoolLiteral: case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral: case NodeKind::DurationLiteral: case NodeKind::StringLiteral:
      return false;
    case NodeKind::Identifier: return node->as<Identifier>().name == variable->name;
    case NodeKind::Unary: return mentions(node->as<Unary>().operand, variable);
    case NodeKind::Binary:
      return mentions(node->as<Binary>().left, variable) ||
             mentions(node->as<Binary>().right, variable);
    case NodeKind::Member: return mentions(node->as<Member>().object, variable);
    case NodeKind::Index:
      return mentions(node->as<Index>().object, variable) ||
             mentions(node->as<Index>().index, variable);
    case NodeKind::Call:
      for (Node* arg : node->as<Call>().args) if (mentions(arg, variable)) return true;
      return mentions(node->as<Call>().callee, variable);
    case NodeKind::MethodCall:
      for (Node* arg : node->as<MethodCall>().args) if (mentions(arg, variable)) return true;
      return mentions(node->as<MethodCall>().object, variable);
    case NodeKind::InterpolatedString:
      for (Node* part : node->as<InterpolatedString>().parts) if (mentions(part, variable)) return true;
      return false;
    case NodeKind::ListLiteral:
      for (Node* item : node->as<ListLiteral>().items) if (mentions(item, variable)) return true;
      return false;
    case NodeKind::DictLiteral:
      for (DictEntry& entry : node->as<DictLiteral>().entries) {
        if (entry.computed && mentions(entry.computed, variable)) return true;
        if (entry.value && mentions(entry.value, variable)) return true;
      }
      return false;
    case NodeKind::Spread: return mentions(node->as<Spread>().operand, variable);
    case NodeKind::Spawn: return false;  // the task has its own
    default: return true;
  }
}

// a.b[i].c = v: the keys are evaluated left to right, then the value, then one instruction walks
// down and writes, copying only what is shared.
void FunctionCompiler::assign_path(Assign& node) {
  std::vector<Node*> steps;
  Node* base = node.target;
  while (base->is(NodeKind::Member) || base->is(NodeKind::Index)) {
    steps.push_back(base);
    base = base->is(NodeKind::Member) ? base->as<Member>().object : base->as<Index>().object;
  }
  if (!base->is(NodeKind::Identifier)) {
    context_.sink.report(diag::Code::InvalidAssignTarget, context_.module.source, base->span,
                         "something that is not a variable");
    return;
  }
  auto& name = base->as<Identifier>();
  if (!name.variable) {
    undefined(name.name, name.span);
    return;
  }
  Variable& variable = *name.variable;
  const Candidates* all = candidates(name);
  const Resolution& names = context_.names.resolution;
  bool is_immutable = !all && (!variable.is_mutable || names.immutable_targets.contains(&name));
  bool asks = names.asking_targets.contains(&name);
  std::reverse(steps.begin(), steps.end());
  uint32_t count = static_cast<uint32_t>(steps.size());
  bool in_register = home_of(variable) == Home::Register && !all;
  if (count == 1 && in_register && !is_immutable && !asks) {
    Node* step = steps[0];
    bool is_member = step->is(NodeKind::Member);
    Reg key = is_member ? -1 : operand(step->as<Index>().index);
    Reg value = temp();
    if (node.op == AssignOp::Set) {
      expression(node.value, value);
    } else {
      if (is_member) emit_x(Op::GetField, value, variable.reg, 0, cache(step->as<Member>().name.text));
      else emit(Op::GetIndex, value, variable.reg, key);
      arithmetic(binary_of(node.op), value, node.value, value, node.span);
    }
    at(node.target->span);
    if (is_member) emit_x(Op::SetField, variable.reg, value, 0, cache(step->as<Member>().name.text));
    else emit(Op::SetIndex, variable.reg, key, value);
    return;
  }
  Reg keys = temps(static_cast<int>(count) + 1);
  Reg value = keys + static_cast<int>(count);
  for (uint32_t i = 0; i < count; ++i) {
    Reg reg = keys + static_cast<int>(i);
    if (steps[i]->is(NodeKind::Member)) literal_text(steps[i]->as<Member>().name.text, reg);
    else expression(steps[i]->as<Index>().index, reg);
  }
  if (node.op == AssignOp::Set) {
    expression(node.value, value);
  } else {
    load_name(name, variable, name.name, value);
    for (uint32_t i = 0; i < count; ++i) emit(Op::GetIndex, value, value, keys + static_cast<int>(i));
    arithmetic(binary_of(node.op), value, node.value, value, node.span);
  }
  if (is_immutable) return store_name(name, value);  // an error, after what stands on both sides has run
  at(node.target->span);
  constexpr uint32_t kLongest = 100;  // for one instruction
  if (count > kLongest) return assign_long_path(name, keys, count);
  auto write = [&](const Variable& target) {
    if (!target.is_mutable) return store(target, value, name.span);
    if (asks && target.word) require_var(target, name.span);
    if (home_of(target) == Home::Register) {
      emit_x(Op::SetPathLocal, target.reg, keys, count, 0);
      return;
    }
    Place place;
    uint32_t index;
    place_of(target, place, index);
    emit_x(Op::SetPath, static_cast<uint32_t>(place), keys, count, index);
  };
  if (all) write_first_set(name, *all, write);
  else write(variable);
}

}  // namespace harn::compile
