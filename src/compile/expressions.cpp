#include "compile/emitter.h"
#include "compile/runs.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

Reg FunctionCompiler::operand(const Node* node) {
  if (Reg own = own_register(node); own >= 0) return own;
  Reg reg = temp();
  expression(node, reg);
  return reg;
}

void FunctionCompiler::integer(int64_t value, Reg to) {
  if (value >= -32768 && value <= 32767) {
    emit_bx(Op::LoadInt, to, static_cast<uint32_t>(value) & 0xFFFF);
    return;
  }
  auto [at, fresh] = ints_.try_emplace(value, 0);
  if (fresh) at->second = constant(value);
  emit_bx(Op::LoadConst, to, at->second);
}

void FunctionCompiler::literal_text(std::string_view text, Reg to) { emit_bx(Op::LoadConst, to, text_constant(text)); }

void FunctionCompiler::expression(const Node* node, Reg to) {
  int mark = next_;
  switch (node->kind) {
    case NodeKind::NilLiteral: emit(Op::LoadNil, to); break;
    case NodeKind::BoolLiteral: emit(Op::LoadBool, to, node->as<BoolLiteral>().value); break;
    case NodeKind::IntLiteral: integer(node->as<IntLiteral>().value, to); break;
    case NodeKind::DurationLiteral: integer(node->as<DurationLiteral>().milliseconds, to); break;
    case NodeKind::FloatLiteral: emit_bx(Op::LoadConst, to, constant(node->as<FloatLiteral>().value)); break;
    case NodeKind::StringLiteral: literal_text(node->as<StringLiteral>().value, to); break;
    case NodeKind::InterpolatedString: interpolated(node->as<InterpolatedString>(), to); break;
    case NodeKind::Identifier: identifier(node->as<Identifier>(), to); break;
    case NodeKind::ListLiteral: list_literal(node->as<ListLiteral>(), to); break;
    case NodeKind::DictLiteral: dict_literal(node->as<DictLiteral>().entries, to); break;
    case NodeKind::StructLiteral: struct_literal(node->as<StructLiteral>(), to); break;
    case NodeKind::Closure: closure(node->as<Closure>(), to); break;
    case NodeKind::Unary: unary(node->as<Unary>(), to); break;
    case NodeKind::Binary: binary(node->as<Binary>(), to); break;
    case NodeKind::Range: range(node->as<Range>(), to); break;
    case NodeKind::Ternary: ternary(node->as<Ternary>(), to); break;
    case NodeKind::Pipe: pipe(node->as<Pipe>(), to); break;
    case NodeKind::Call: call(node->as<Call>(), to); break;
    case NodeKind::MethodCall: method_call(node->as<MethodCall>(), to); break;
    case NodeKind::Member: member(node->as<Member>(), to); break;
    case NodeKind::Index: index(node->as<Index>(), to); break;
    case NodeKind::Slice: slice(node->as<Slice>(), to); break;
    case NodeKind::TryUnwrap: try_unwrap(node->as<TryUnwrap>(), to); break;
    // The lowered form in the document catches and rethrows; leaving the error alone is the same.
    case NodeKind::TryStar: try_star(node->as<TryStar>(), to); break;
    case NodeKind::Block: block(&node->as<Block>(), to); break;
    case NodeKind::If: if_else(node, to); break;
    case NodeKind::Match: match(node->as<Match>(), to); break;
    case NodeKind::Try: try_expression(node->as<Try>(), to); break;
    case NodeKind::Retry: retry(node->as<Retry>(), to); break;
    case NodeKind::Spread: unsupported(*node, "a spread at this place"); break;
    case NodeKind::NamedArgument: unsupported(*node, "a named argument at this place"); break;
    case NodeKind::Parallel: parallel(node->as<Parallel>(), to); break;
    case NodeKind::Spawn: spawn(node->as<Spawn>(), to); break;
    case NodeKind::Deadline: deadline(node->as<Deadline>(), to); break;
    case NodeKind::Mutex: mutex(node->as<Mutex>(), to); break;
    case NodeKind::Select: select(node->as<Select>(), to); break;
    case NodeKind::CostRoute: cost_route(node->as<CostRoute>(), to); break;
    case NodeKind::HumanCall: unsupported(*node, "asking a person"); break;
    case NodeKind::Yield: {
      Reg value = to;
      if (node->as<Yield>().value) value = operand(node->as<Yield>().value);
      else emit(Op::LoadNil, to);
      at(node->span);
      emit(Op::Yield, to, value);
      break;
    }
    case NodeKind::Emit: {
      Reg value = operand(node->as<Emit>().value);
      at(node->span);
      emit(Op::Yield, to, value);
      break;
    }
    case NodeKind::Broken: emit(Op::LoadNil, to); break;
    // A statement: its value is nil.
    case NodeKind::Let:
    case NodeKind::Const:
    case NodeKind::Assign:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Return:
    case NodeKind::Throw:
    case NodeKind::Break:
    case NodeKind::Continue:
    case NodeKind::Defer:
    case NodeKind::Guard:
    case NodeKind::Require:
    case NodeKind::Natural:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::TypeAlias:
    case NodeKind::Enum:
    case NodeKind::Struct:
    case NodeKind::Impl:
    case NodeKind::Interface:
    case NodeKind::Import:
      statement(node);
      emit(Op::LoadNil, to);
      break;
  }
  release_to(mark);
}

void FunctionCompiler::unsupported(const Node& node, std::string_view what) {
  context_.sink.report(diag::Code::NotSupportedYet, context_.module.source, node.span, what);
}

void FunctionCompiler::interpolated(const InterpolatedString& node, Reg to) {
  int count = static_cast<int>(std::min<size_t>(node.parts.size(), kMostParts));
  Reg first = temps(count);
  Reg at_reg = first;
  size_t in_batch = 0;
  for (const Node* part : node.parts) {
    if (in_batch == kMostParts) {  // join what there is and go on behind it
      emit(Op::Concat, first, first, kMostParts);
      at_reg = first + 1;
      in_batch = 1;
    }
    expression(part, at_reg++);
    ++in_batch;
  }
  at(node.span);
  emit(Op::Concat, to, first, static_cast<uint32_t>(in_batch));
}

void FunctionCompiler::identifier(const Identifier& node, Reg to) {
  at(node.span);
  if (const Variable* variable = variable_of(node)) {
    if (!schema(&node, to)) load_name(node, *variable, node.name, to);
    return;
  }
  unknown_name(node.name, node.span, to);
}

void FunctionCompiler::list_literal(const ListLiteral& node, Reg to) {
  constexpr size_t kBatch = 32;
  bool spread = has_spread(node.items);
  if (!spread && node.items.size() <= kBatch) {
    Reg first = temps(static_cast<int>(node.items.size()));
    for (size_t i = 0; i < node.items.size(); ++i) expression(node.items[i], first + static_cast<int>(i));
    emit(Op::NewList, to, first, static_cast<uint32_t>(node.items.size()));
    return;
  }
  Reg list = temp();
  spread_args(node.items, list);
  emit(Op::Steal, to, list);
}

static bool plain_distinct_keys(List<DictEntry> entries) {
  constexpr size_t kMost = 48;
  if (entries.empty() || entries.size() > kMost) return false;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].form == KeyForm::Computed || entries[i].form == KeyForm::Spread) return false;
    for (size_t j = 0; j < i; ++j) {
      if (entries[j].key.text == entries[i].key.text) return false;
    }
  }
  return true;
}

static Keys keys_of(List<DictEntry> entries) {
  Keys keys;
  for (const DictEntry& entry : entries) keys.emplace_back(entry.key.text);
  return keys;
}

void FunctionCompiler::dict_literal(List<DictEntry> entries, Reg to) {
  if (entries.empty()) {
    emit(Op::NewDict, to);
    return;
  }
  if (plain_distinct_keys(entries)) {
    Reg first = temps(static_cast<int>(entries.size()));
    for (size_t i = 0; i < entries.size(); ++i) expression(entries[i].value, first + static_cast<int>(i));
    emit_x(Op::NewDictOf, to, first, static_cast<uint32_t>(entries.size()), constant(keys_of(entries)));
    return;
  }
  if (dict_from(entries, to)) return;
  Reg dict = temp();
  emit(Op::NewDict, dict);
  for (const DictEntry& entry : entries) {
    int mark = next_;
    if (entry.form == KeyForm::Spread) {
      Reg value = operand(entry.value);
      at(entry.value->span);
      emit(Op::DictSpread, dict, value);
    } else if (entry.form == KeyForm::Computed) {
      Reg key = temp();
      expression(entry.computed, key);
      Reg value = temp();
      expression(entry.value, value);
      emit(Op::DictPut, dict, key, value);
    } else {
      Reg value = temp();
      expression(entry.value, value);
      emit_x(Op::SetField, dict, value, 0, cache(entry.key.text));
    }
    release_to(mark);
  }
  emit(Op::Steal, to, dict);
}

// `{...record, a: 1, [key]: 2}`
bool FunctionCompiler::dict_from(List<DictEntry> entries, Reg to) {
  constexpr size_t kMost = 16;
  if (entries.size() > kMost || entries[0].form != KeyForm::Spread) return false;
  std::vector<const Node*> rest;
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].form == KeyForm::Spread) return false;
    if (entries[i].computed) rest.push_back(entries[i].computed);
    rest.push_back(entries[i].value);
  }
  // The copy is made when the new parts are there: they may be made from the old ones, which change in place only when
  // no copy has them, too.
  bool is_late = can_read_late(entries[0].value, rest);
  Reg source = is_late ? -1 : temp();
  if (!is_late) expression(entries[0].value, source);
  // A key, where it is computed, and behind it its value.
  std::vector<Reg> values;
  for (size_t i = 1; i < entries.size(); ++i) {
    const DictEntry& entry = entries[i];
    bool is_computed = entry.form == KeyForm::Computed;
    Reg first = temps(is_computed ? 2 : 1);
    if (is_computed) expression(entry.computed, first);
    values.push_back(is_computed ? first + 1 : first);
    expression(entry.value, values.back());
  }
  Reg dict = temp();
  emit(Op::NewDict, dict);
  if (is_late) source = operand(entries[0].value);
  at(entries[0].value->span);
  emit(Op::DictSpread, dict, source);
  for (size_t i = 1; i < entries.size(); ++i) {
    Reg value = values[i - 1];
    if (entries[i].form == KeyForm::Computed) emit(Op::DictPut, dict, value - 1, value);
    else emit_x(Op::SetField, dict, value, 0, cache(entries[i].key.text));
  }
  emit(Op::Steal, to, dict);
  return true;
}

void FunctionCompiler::struct_literal(const StructLiteral& node, Reg to) {
  if (!variable_of(node)) {
    raise(RaiseKind::Name, "Undefined variable: " + std::string(node.name.text), node.name.span);
    return;
  }
  Reg type = temp();
  load_name(node, *variable_of(node), node.name.text, type);
  if (plain_distinct_keys(node.fields)) {
    Reg first = temps(static_cast<int>(node.fields.size()));
    for (size_t i = 0; i < node.fields.size(); ++i) {
      expression(node.fields[i].value, first + static_cast<int>(i));
    }
    at(node.span);
    emit_x(Op::NewStruct, type, first, static_cast<uint32_t>(node.fields.size()), constant(keys_of(node.fields)));
  } else {
    // Spread or computed fields: build a dict, then call the type with it.
    Reg fields = temp();
    dict_literal(node.fields, fields);
    at(node.span);
    emit(Op::Call, type, 1);
  }
  emit(Op::Steal, to, type);
}

void FunctionCompiler::closure(const Closure& node, Reg to, std::string_view name) {
  FunctionCompiler inner(context_, *context_.bindings.function(node), std::string(name));
  auto code = inner.function(node.params, node.body);
  make_closure(to, std::move(code), *context_.bindings.function(node));
}

void FunctionCompiler::unary(const Unary& node, Reg to) {
  if (node.op == UnaryOp::Negate && node.operand->is(NodeKind::IntLiteral)) {
    integer(static_cast<int64_t>(0 - static_cast<uint64_t>(node.operand->as<IntLiteral>().value)), to);
    return;
  }
  Reg value = operand(node.operand);
  at(node.span);
  emit(node.op == UnaryOp::Not ? Op::Not : Op::Neg, to, value);
}

// ---- binary operators ----

void FunctionCompiler::binary(const Binary& node, Reg to) {
  switch (node.op) {
    case BinaryOp::Or:
    case BinaryOp::And:
    case BinaryOp::Coalesce: return short_circuit(node, to);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
    case BinaryOp::In:
    case BinaryOp::NotIn: return comparison(node, to);
    default: break;
  }
  // Long chains lean left; a loop keeps them off the C++ stack.
  std::vector<const Binary*> chain;
  const Node* leftmost = &node;
  auto is_arithmetic = [](const Node* at) {
    return at->is(NodeKind::Binary) &&
           (at->as<Binary>().op == BinaryOp::Add || at->as<Binary>().op == BinaryOp::Subtract ||
            at->as<Binary>().op >= BinaryOp::Multiply);
  };
  while (is_arithmetic(leftmost)) {
    chain.push_back(&leftmost->as<Binary>());
    leftmost = leftmost->as<Binary>().left;
  }
  // Intermediate results go to a temporary: `to` may be a variable that later operands still read.
  Reg partial = -1;
  Reg left;
  if (may_run(chain.back()->right, Runs::Statements)) {
    left = partial = temp();
    expression(leftmost, left);
  } else {
    left = operand(leftmost);
  }
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    bool last = at + 1 == chain.rend();
    if (!last && partial < 0) partial = temp();
    Reg target = last ? to : partial;
    arithmetic((*at)->op, left, (*at)->right, target, (*at)->op_span, left == partial);
    left = target;
  }
}

void FunctionCompiler::arithmetic(BinaryOp op, Reg left, const Node* right, Reg to, Span span, bool left_is_temp) {
  int mark = next_;
  if (op == BinaryOp::Add || op == BinaryOp::Subtract) {
    if (right->is(NodeKind::IntLiteral)) {
      int64_t value = right->as<IntLiteral>().value;
      if (op == BinaryOp::Subtract) value = -value;
      if (value >= -127 && value <= 127) {
        at(span);
        emit(Op::AddInt, to, left, static_cast<uint32_t>(value) & 0xFF);
        return;
      }
    }
  }
  // Texts are only ever added, and to a temporary in place rather than as a constant.
  bool text = right->is(NodeKind::StringLiteral);
  int known = text && (op != BinaryOp::Add || left_is_temp) ? -1 : small_constant(right);
  Reg value = known < 0 || op == BinaryOp::Power ? operand(right) : -1;
  at(span);
  auto pick = [&](Op constant_op, Op register_op) {
    if (value < 0) emit(constant_op, to, left, known);
    else emit(register_op, to, left, value);
  };
  switch (op) {
    case BinaryOp::Add: pick(Op::AddConst, left_is_temp ? Op::AddTemp : Op::Add); break;
    case BinaryOp::Subtract: pick(Op::SubConst, Op::Sub); break;
    case BinaryOp::Multiply: pick(Op::MulConst, Op::Mul); break;
    case BinaryOp::Divide: pick(Op::DivConst, Op::Div); break;
    case BinaryOp::Modulo: pick(Op::ModConst, Op::Mod); break;
    default: emit(Op::Pow, to, left, value);
  }
  release_to(mark);
}

void FunctionCompiler::comparison(const Binary& node, Reg to) {
  Reg left;
  if (may_run(node.right, Runs::Statements)) {
    left = temp();
    expression(node.left, left);
  } else {
    left = operand(node.left);
  }
  if (int right = node.op == BinaryOp::Equal ? small_constant(node.right) : -1; right >= 0) {
    at(node.op_span);
    emit(Op::EqualConst, to, left, static_cast<uint32_t>(right));
    return;
  }
  Reg right = operand(node.right);
  at(node.op_span);
  switch (node.op) {
    case BinaryOp::Equal: emit(Op::Equal, to, left, right); break;
    case BinaryOp::NotEqual: emit(Op::NotEqual, to, left, right); break;
    case BinaryOp::Less: emit(Op::Less, to, left, right); break;
    case BinaryOp::Greater: emit(Op::Less, to, right, left); break;
    case BinaryOp::LessEqual: emit(Op::LessEqual, to, left, right); break;
    case BinaryOp::GreaterEqual: emit(Op::LessEqual, to, right, left); break;
    case BinaryOp::NotIn:
      emit(Op::In, to, left, right);
      emit(Op::Not, to, to);
      break;
    default: emit(Op::In, to, left, right);
  }
}

void FunctionCompiler::short_circuit(const Binary& node, Reg to) {
  Label end;
  if (node.op == BinaryOp::Coalesce) {
    // Into a temporary: `to` may be a variable that the right side reads.
    Reg value = temp();
    expression(node.left, value);
    emit_jump(Op::JumpIfNotNil, value, end);
    expression(node.right, value);
    bind(end);
    emit(Op::Steal, to, value);
    return;
  }
  // The result is always a bool.
  Label decided;
  bool decides = node.op == BinaryOp::Or;
  condition(&node, decides, decided);
  emit(Op::LoadBool, to, !decides);
  jump(end);
  bind(decided);
  emit(Op::LoadBool, to, decides);
  bind(end);
}

// ---- conditions ----

void FunctionCompiler::condition(const Node* node, bool when, Label& label) {
  int mark = next_;
  if (node->is(NodeKind::Unary) && node->as<Unary>().op == UnaryOp::Not) {
    condition(node->as<Unary>().operand, !when, label);
    return;
  }
  if (node->is(NodeKind::Binary)) {
    auto& binary = node->as<Binary>();
    if (binary.op == BinaryOp::And || binary.op == BinaryOp::Or) {
      bool any = (binary.op == BinaryOp::Or) == when;
      if (any) {  // either side decides
        condition(binary.left, when, label);
        condition(binary.right, when, label);
      } else {
        Label skip;
        condition(binary.left, !when, skip);
        condition(binary.right, when, label);
        bind(skip);
      }
      return;
    }
    if (compare_jump(binary, when, label)) {
      release_to(mark);
      return;
    }
  }
  if (node->is(NodeKind::BoolLiteral)) {
    if (node->as<BoolLiteral>().value == when) jump(label);
    return;
  }
  Reg value = operand(node);
  emit_jump(when ? Op::JumpIf : Op::JumpIfNot, value, label);
  release_to(mark);
}

bool FunctionCompiler::compare_jump(const Binary& node, bool when, Label& label) {
  if (node.op < BinaryOp::Equal || node.op > BinaryOp::GreaterEqual) return false;
  bool equality = node.op == BinaryOp::Equal || node.op == BinaryOp::NotEqual;
  if (equality && node.right->is(NodeKind::NilLiteral)) {
    Reg value = operand(node.left);
    bool on_nil = (node.op == BinaryOp::Equal) == when;
    emit_jump(on_nil ? Op::JumpIfNil : Op::JumpIfNotNil, value, label);
    return true;
  }
  Reg left;
  if (may_run(node.right, Runs::Statements)) {
    left = temp();
    expression(node.left, left);
  } else {
    left = operand(node.left);
  }
  int known = small_constant(node.right);
  Reg right = known < 0 ? operand(node.right) : -1;
  at(node.op_span);
  if (node.op == BinaryOp::NotEqual) when = !when;
  auto pick = [&](Op with_constant, Op with_register, Reg a, Reg b) {
    if (known >= 0) emit_jump(with_constant, left, known, when, label);
    else emit_jump(with_register, a, b, when, label);
  };
  switch (node.op) {
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: pick(Op::JumpEqualConst, Op::JumpEqual, left, right); break;
    case BinaryOp::Less: pick(Op::JumpLessConst, Op::JumpLess, left, right); break;
    case BinaryOp::LessEqual: pick(Op::JumpLessEqualConst, Op::JumpLessEqual, left, right); break;
    case BinaryOp::Greater: pick(Op::JumpGreaterConst, Op::JumpLess, right, left); break;
    default: pick(Op::JumpGreaterEqualConst, Op::JumpLessEqual, right, left);
  }
  return true;
}

// ---- access ----

void FunctionCompiler::member(const Member& node, Reg to) {
  if (node.object->is(NodeKind::Identifier) && !variable_of(*node.object)) {
    std::string name = std::string(node.object->as<Identifier>().name) + "." + std::string(node.name.text);
    if (context_.catalog.find(name)) {
      emit_bx(Op::LoadConst, to, constant(Keys{"builtin", name}));
      return;
    }
  }
  // Reading through `to` itself drops the intermediate object at once, so that it stays unshared.
  Reg object = own_register(node.object);
  if (object < 0) expression(node.object, object = to);
  at(node.name.span);
  emit_x(Op::GetField, to, object, node.optional, cache(node.name.text));
}

void FunctionCompiler::index(const Index& node, Reg to) {
  Label end;
  // As for members: what is read on the way is let go at once, so that it stays unshared.
  Reg own = own_register(node.object);
  bool in_place = own >= 0 && !may_run(node.index, Runs::Statements) && !node.optional;
  Reg object = in_place ? own : to;
  if (!in_place) expression(node.object, to);
  if (node.optional) {
    Label present;
    emit_jump(Op::JumpIfNotNil, object, present);
    emit(Op::LoadNil, to);
    jump(end);
    bind(present);
  }
  Reg key = operand(node.index);
  at(node.span);
  emit(Op::GetIndex, to, object, key);
  bind(end);
}

void FunctionCompiler::slice(const Slice& node, Reg to) {
  Reg first = temps(3);
  expression(node.object, first);
  auto bound = [&](const Node* part, Reg reg) {
    if (part) expression(part, reg);
    else emit(Op::LoadNil, reg);
  };
  bound(node.start, first + 1);
  bound(node.end, first + 2);
  at(node.span);
  emit(Op::GetSlice, to, first, 3);
}

void FunctionCompiler::range(const Range& node, Reg to) {
  Reg start;
  if (may_run(node.end, Runs::Statements)) {
    start = temp();
    expression(node.start, start);
  } else {
    start = operand(node.start);
  }
  Reg end = operand(node.end);
  at(node.span);
  emit(node.exclusive ? Op::NewRangeExclusive : Op::NewRange, to, start, end);
}

}  // namespace harn::compile
