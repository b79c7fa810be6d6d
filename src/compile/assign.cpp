// Assignments: to variables, and into lists, dicts and structs that variables hold.
#include <algorithm>

#include "compile/candidates.h"
#include "compile/emitter.h"
#include "compile/runs.h"

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

void FunctionCompiler::assign(const Assign& node) {
  if (node.target->is(NodeKind::Identifier)) {
    assign_variable(node, node.target->as<Identifier>());
  } else {
    assign_path(node);
  }
}

void FunctionCompiler::assign_variable(const Assign& node, const Identifier& target) {
  const Variable* variable = variable_of(target);
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
    Reg value = in_register ? reg_of(*variable) : temp();
    if (!in_register) load(*variable, value);
    arithmetic(binary_of(node.op), value, node.value, value, node.span);
    if (!in_register) store(*variable, value, target.span);
    return;
  }
  if (assign_pushed(*variable, node.value)) return;
  if (in_register) {
    // The old value must stay readable until the new one is complete: an expression that builds its
    // result in several steps builds it in a temporary.
    Reg value = reg_of(*variable);
    bool stepwise = !node.value->is(NodeKind::Binary) && !node.value->is(NodeKind::IntLiteral) &&
                    !node.value->is(NodeKind::Identifier) && !node.value->is(NodeKind::StringLiteral) &&
                    !node.value->is(NodeKind::BoolLiteral) && !node.value->is(NodeKind::NilLiteral);
    if (stepwise) value = temp();
    expression(node.value, value);
    if (stepwise) emit(Op::Steal, reg_of(*variable), value);
    return;
  }
  Reg value = temp();
  expression(node.value, value);
  store(*variable, value, target.span);
}

// `xs = xs.push(x)`, which is how lists are built: one instruction when it can be in place.
bool FunctionCompiler::assign_pushed(const Variable& variable, const Node* value) {
  if (!value->is(NodeKind::MethodCall) || home_of(variable) != Home::Register) return false;
  auto& call = value->as<MethodCall>();
  if (own_register(call.object) != reg_of(variable) || call.name.text != "push" || call.args.size() != 1) return false;
  if (call.optional || has_spread(call.args) || may_run(call.args[0], Runs::Statements)) return false;
  Reg list = temps(2);
  args(call.args, list + 1);
  Label done;
  at(call.name.span);
  emit_jump(Op::PushOr, reg_of(variable), list + 1, 0, done);
  emit(Op::Move, list, reg_of(variable));
  emit_x(Op::CallPush, list, 1, 0, cache(call.name.text));
  emit(Op::Steal, reg_of(variable), list);
  bind(done);
  return true;
}

// What the name means, or whether it may be assigned, is only known when the value is.
void FunctionCompiler::assign_uncertain(const Assign& node, const Identifier& target) {
  Reg value = temp();
  if (node.op == AssignOp::Set) {
    expression(node.value, value);
  } else {
    load_name(target, *variable_of(target), target.name, value);
    arithmetic(binary_of(node.op), value, node.value, value, node.span);
  }
  store_name(target, value);
}

// Read every level on the way down, write them on the way up.
void FunctionCompiler::assign_long_path(const Identifier& name, Reg keys, uint32_t count) {
  Reg levels = temps(static_cast<int>(count));
  auto level = [&](uint32_t i) { return levels + static_cast<int>(i); };
  auto key = [&](uint32_t i) { return keys + static_cast<int>(i); };
  load_name(name, *variable_of(name), name.name, level(0));
  for (uint32_t i = 1; i < count; ++i) emit(Op::GetIndex, level(i), level(i - 1), key(i - 1));
  emit(Op::SetIndex, level(count - 1), key(count - 1), key(count));
  for (uint32_t i = count - 1; i > 0; --i) emit(Op::SetIndex, level(i - 1), key(i - 1), level(i));
  store_name(name, level(0));
}

// a.b[i].c = v: the keys are evaluated left to right, then the value, then one instruction walks
// down and writes, copying only what is shared.
void FunctionCompiler::assign_path(const Assign& node) {
  std::vector<const Node*> steps;
  const Node* base = node.target;
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
  if (!variable_of(name)) {
    undefined(name.name, name.span);
    return;
  }
  const Variable& variable = *variable_of(name);
  const Candidates* all = candidates(name);
  const Resolution& names = context_.names.resolution;
  bool is_immutable = !all && (!variable.is_mutable || names.immutable_targets.contains(&name));
  bool asks = names.asking_targets.contains(&name);
  std::reverse(steps.begin(), steps.end());
  uint32_t count = static_cast<uint32_t>(steps.size());
  bool in_register = home_of(variable) == Home::Register && !all;
  if (count == 1 && in_register && !is_immutable && !asks) {
    const Node* step = steps[0];
    bool is_member = step->is(NodeKind::Member);
    Reg key = is_member ? -1 : operand(step->as<Index>().index);
    Reg value = temp();
    if (node.op == AssignOp::Set) {
      expression(node.value, value);
    } else {
      if (is_member) emit_x(Op::GetField, value, reg_of(variable), 0, cache(step->as<Member>().name.text));
      else emit(Op::GetIndex, value, reg_of(variable), key);
      arithmetic(binary_of(node.op), value, node.value, value, node.span);
    }
    at(node.target->span);
    if (is_member) emit_x(Op::SetField, reg_of(variable), value, 0, cache(step->as<Member>().name.text));
    else emit(Op::SetIndex, reg_of(variable), key, value);
    return;
  }
  constexpr uint32_t kLongest = 100;  // for one instruction
  // Names need no registers when it is known which instruction will write.
  bool is_plain = in_register && !is_immutable && !asks;
  bool is_local = is_plain && count <= kLongest;
  PathSteps path;
  for (const Node* step : steps) {
    bool is_named = is_local && step->is(NodeKind::Member);
    path.caches.push_back(is_named ? cache(step->as<Member>().name.text) : PathSteps::kKey);
  }
  auto key_count = static_cast<int>(std::count(path.caches.begin(), path.caches.end(), PathSteps::kKey));
  Reg keys = temps(key_count + 1);
  Reg value = keys + key_count;
  Reg next_key = keys;
  for (uint32_t i = 0; i < count; ++i) {
    if (path.caches[i] != PathSteps::kKey) continue;
    if (steps[i]->is(NodeKind::Member)) literal_text(steps[i]->as<Member>().name.text, next_key++);
    else expression(steps[i]->as<Index>().index, next_key++);
  }
  if (node.op == AssignOp::Set) {
    expression(node.value, value);
  } else {
    Reg from = is_plain ? reg_of(variable) : value;
    if (!is_plain) load_name(name, variable, name.name, value);
    next_key = keys;
    for (uint32_t i = 0; i < count; ++i) {
      bool is_key = path.caches[i] == PathSteps::kKey;
      if (steps[i]->is(NodeKind::Member)) emit_x(Op::GetField, value, from, 0, cache(steps[i]->as<Member>().name.text));
      else emit(Op::GetIndex, value, from, next_key);
      next_key += is_key;
      from = value;
    }
    arithmetic(binary_of(node.op), value, node.value, value, node.span);
  }
  if (is_immutable) return store_name(name, value);  // an error, after what stands on both sides has run
  at(node.target->span);
  if (count > kLongest) return assign_long_path(name, keys, count);
  auto write = [&](const Variable& target) {
    if (!target.is_mutable) return store(target, value, name.span);
    if (asks && target.word) require_var(target, name.span);
    if (home_of(target) == Home::Register) {
      code_->paths.push_back(path);
      emit_x(Op::SetPathLocal, reg_of(target), keys, static_cast<uint32_t>(key_count),
             static_cast<uint32_t>(code_->paths.size() - 1));
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
