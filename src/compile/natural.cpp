// Natural blocks. A block becomes a call of __natural_block (src/std/prelude/natural.harn) with what is known about it, its text,
// and the variables that it sees; then what it has written is stored, all of it or, when the call fails, nothing; then
// control goes where the outcome says.
//
//   result = __natural_block(facts, text, locals, error types)    {kind, values, value}
#include "compile/candidates.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

namespace {

DataPtr text_data(std::string_view text) { return make_data(std::string(text)); }

DataPtr or_nothing(DataPtr fields) { return fields ? std::move(fields) : make_data(Data::Dict()); }

// The names, each once, in the order of the text.
std::vector<const Identifier*> distinct(NodeList names) {
  std::vector<const Identifier*> out;
  for (const Node* node : names) {
    auto& name = node->as<Identifier>();
    if (std::none_of(out.begin(), out.end(), [&](const Identifier* one) { return one->name == name.name; })) {
      out.push_back(&name);
    }
  }
  return out;
}

}  // namespace

// {function, line, inputs: [name], outputs: [{name, schema?, instances?}], in_loop, returns?: schema, return_instances?, structs: {name: {field: instances}}, enums: {name: {variant: [{schema, instances?}]}}}
DataPtr FunctionCompiler::natural_facts(const Natural& node) {
  const NaturalUse& use = context_.names.resolution.natural.at(&node);
  std::unordered_set<const Node*> known;
  for (const Variable* one : use.made) known.insert(one->declaration);
  Instances instances = context_.types.instances(std::move(known));
  auto add_instances = [&](Data::Dict& facts, std::string name, const TypeNode& type) {
    if (DataPtr found = instances.of(context_.types.lower(type))) facts.emplace_back(std::move(name), std::move(found));
  };
  Data::List inputs, outputs;
  for (const Identifier* name : distinct(node.inputs)) inputs.push_back(text_data(name->name));
  for (const Identifier* name : distinct(node.outputs)) {
    Data::Dict output{{"name", text_data(name->name)}};
    const Variable* variable = variable_of(*name);
    if (variable && variable->type) {
      output.emplace_back("schema", context_.types.schema(*variable->type));
      add_instances(output, "instances", *variable->type);
    }
    outputs.push_back(make_data(std::move(output)));
  }
  auto line = static_cast<int64_t>(context_.module.source->position(node.span.start).line);
  Data::Dict facts{{"function", text_data(info_.natural ? info_.natural->name.text : "")},
                   {"line", make_data(line)},
                   {"inputs", make_data(std::move(inputs))},
                   {"outputs", make_data(std::move(outputs))},
                   {"in_loop", make_data(use.in_loop)}};
  if (info_.return_type) {
    facts.emplace_back("returns", context_.types.schema(*info_.return_type));
    add_instances(facts, "return_instances", *info_.return_type);
  }
  Data::Dict structs, enums;
  for (const Variable* one : use.made) {
    const Node& made = *one->declaration;
    if (made.is(NodeKind::Struct))
      structs.emplace_back(one->name, or_nothing(instances.fields(context_.types.type_of(made.as<Struct>()))));
    else enums.emplace_back(one->name, instances.variants(context_.types.type_of(made.as<Enum>())));
  }
  if (!structs.empty()) facts.emplace_back("structs", make_data(std::move(structs)));
  if (!enums.empty()) facts.emplace_back("enums", make_data(std::move(enums)));
  return make_data(std::move(facts));
}

void FunctionCompiler::natural_local(const Variable& variable, Reg to) {
  int mark = next_;
  Reg value = temp();
  Label is_set, end;
  load(variable, value);
  emit_jump(Op::JumpIfSet, value, is_set);
  jump(end);
  bind(is_set);
  emit_x(Op::SetField, to, value, 0, cache(variable.name));
  bind(end);
  release_to(mark);
}

// {name: value} of those that are set, and of what the block writes of the functions around a closure. What the block reads is read here: a name that means nothing fails before anybody is asked.
//
// Many are put together from parts: where registers are far, each field that is set copies the dict it goes to.
void FunctionCompiler::natural_locals(const Natural& node, Reg to) {
  constexpr size_t kPart = 64;
  std::span<Variable* const> all = context_.names.resolution.natural.at(&node).locals;
  emit(Op::NewDict, to);
  for (; all.size() > kPart; all = all.subspan(kPart)) {
    int mark = next_;
    Reg both = temps(2);
    emit(Op::Steal, both, to);
    emit(Op::NewDict, both + 1);
    for (const Variable* variable : all.first(kPart)) natural_local(*variable, both + 1);
    call_internal("__natural_join", both, 2);
    emit(Op::Steal, to, both);
    release_to(mark);
  }
  for (const Variable* variable : all) natural_local(*variable, to);
  std::span<Variable* const> own = context_.names.resolution.natural.at(&node).locals;
  for (const Identifier* name : distinct(node.outputs)) {
    const Variable* variable = variable_of(*name);
    if (variable && std::ranges::find(own, variable) == own.end()) natural_local(*variable, to);
  }
  for (const Identifier* name : distinct(node.inputs)) {
    int mark = next_;
    Reg value = temp();
    expression(name, value);
    emit_x(Op::SetField, to, value, 0, cache(name->name));
    release_to(mark);
  }
}

// What the block has left alone stays as it is, unset variables too.
void FunctionCompiler::natural_commit(const Natural& node, Reg result) {
  for (const Identifier* name : distinct(node.outputs)) {
    if (!variable_of(*name)) continue;
    int mark = next_;
    Reg value = temps(2);
    Label is_set, end;
    emit(Op::Move, value, result);
    literal_text(name->name, value + 1);
    call_internal("__natural_value", value, 2);
    emit_jump(Op::JumpIfSet, value, is_set);
    jump(end);
    bind(is_set);
    store_name(*name, value);
    bind(end);
    release_to(mark);
  }
}

void FunctionCompiler::natural_leave(Reg result) {
  Label end;
  int mark = next_;
  Reg kind = temps(2);
  emit_x(Op::GetField, kind, result, 0, cache("kind"));
  auto when = [&](std::string_view which, auto leave) {
    Label other;
    int inside = next_;
    Reg wanted = temp();
    literal_text(which, wanted);
    emit_jump(Op::JumpEqual, kind, wanted, 0, other);
    leave();
    bind(other);
    release_to(inside);
  };
  when("return", [&] {
    Reg value = temp();
    emit_x(Op::GetField, value, result, 0, cache("value"));
    return_value(value);
  });
  if (!loops_.empty()) {
    when("break", [&] { leave_loop(&Loop::break_to); });
    when("continue", [&] { leave_loop(&Loop::continue_to); });
  }
  bind(end);
  release_to(mark);
}

// Before anybody is asked. What only the run can tell is asked by code: nothing is stored when one of the names cannot be.
void FunctionCompiler::require_writable(const Natural& node) {
  const Resolution& resolution = context_.names.resolution;
  for (const Identifier* name : distinct(node.outputs)) {
    const Variable* variable = variable_of(*name);
    const Candidates* all = candidates(*name);
    bool is_fixed = variable && !variable->is_mutable && !all;
    if (is_fixed || resolution.immutable_targets.contains(name)) {
      raise(RaiseKind::Plain, "Cannot assign to immutable binding: " + std::string(name->name), name->span);
      return;
    }
    if (!variable || !resolution.asking_targets.contains(name)) continue;
    int mark = next_;
    auto ask = [&](const Variable& one) {
      if (one.word) require_var(one, name->span);
    };
    if (all) write_first_set(*name, *all, ask);
    else ask(*variable);
    release_to(mark);
  }
}

void FunctionCompiler::natural_block(const Natural& node) {
  require_writable(node);
  // Those that the block declares.
  for (const Identifier* name : distinct(node.outputs)) {
    const Variable* variable = variable_of(*name);
    if (!variable || variable->owner != &info_ || reg_of(*variable) >= 0) continue;
    if (home_of(*variable) != Home::Register && home_of(*variable) != Home::Cell) continue;
    Reg reg = declare(*variable);
    emit(Op::LoadUnset, reg);
    if (home_of(*variable) != Home::Cell) continue;
    emit(Op::NewCell, reg, reg);
    slot(*variable).has_cell = true;
  }
  int mark = next_;
  Reg first = temps(4);
  at(node.span);
  emit_bx(Op::LoadConst, first, constant(natural_facts(node)));
  expression(node.program, first + 1);
  natural_locals(node, first + 2);
  emit(Op::NewDict, first + 3);
  auto pass = [&](const Variable& variable, std::string_view name) {
    int inside = next_;
    Reg value = temp();
    load(variable, value);
    emit_x(Op::SetField, first + 3, value, 0, cache(name));
    release_to(inside);
  };
  const NaturalUse& use = context_.names.resolution.natural.at(&node);
  for (const Variable* type : use.errors) pass(*type, type->name);
  for (const Variable* type : use.made) pass(*type, "=made " + std::string(type->name));
  if (use.ensures) pass(*use.ensures, "=ensures");
  at(node.span);
  call_internal("__natural_block", first, 4);
  natural_commit(node, first);
  natural_leave(first);
  release_to(mark);
}

}  // namespace harn::compile
