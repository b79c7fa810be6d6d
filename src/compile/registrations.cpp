// Declarations that become entries of registries: tools and skills, and functions that `@acp_tool` and `@acp_skill`
// promote to them. The registries themselves are made in Harn (src/std/prelude/tools.harn, skills.harn).
#include <algorithm>

#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

namespace {

// Means the same wherever it stands, so that the entry of a tool can tell it.
bool is_literal(const Node* node) {
  switch (node->kind) {
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral: return true;
    case NodeKind::Unary: return node->as<Unary>().op == UnaryOp::Negate && is_literal(node->as<Unary>().operand);
    case NodeKind::ListLiteral: return std::ranges::all_of(node->as<ListLiteral>().items, is_literal);
    case NodeKind::DictLiteral:
      return std::ranges::all_of(node->as<DictLiteral>().entries, [](const DictEntry& entry) {
        return entry.form != KeyForm::Computed && entry.form != KeyForm::Spread && is_literal(entry.value);
      });
    default: return false;
  }
}

}  // namespace

// {name, params: [{name, schema, is_optional, is_rest}], returns?}
DataPtr FunctionCompiler::tool_facts(std::string_view name, List<Param> params, const TypeNode* return_type) {
  Data::List listed;
  for (const Param& param : params) {
    DataPtr schema = param.type ? context_.types.schema(*param.type) : make_data(Data::Dict());
    listed.push_back(make_data(Data::Dict{{"name", make_data(std::string(param.name.text))},
                                          {"schema", std::move(schema)},
                                          {"is_optional", make_data(param.default_value != nullptr || param.rest)},
                                          {"is_rest", make_data(param.rest)}}));
  }
  Data::Dict facts{{"name", make_data(std::string(name))}, {"params", make_data(std::move(listed))}};
  if (return_type) facts.emplace_back("returns", context_.types.schema(*return_type));
  return make_data(std::move(facts));
}

// The defaults that are known without calling anything, by name.
void FunctionCompiler::literal_defaults(List<Param> params, Reg to) {
  emit(Op::NewDict, to);
  for (const Param& param : params) {
    if (!param.default_value || !is_literal(param.default_value)) continue;
    int mark = next_;
    Reg value = temp();
    expression(param.default_value, value);
    emit_x(Op::SetField, to, value, 0, cache(param.name.text));
    release_to(mark);
  }
}

void FunctionCompiler::tool_declaration(const Tool& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  FunctionCompiler inner(context_, *context_.bindings.function(node), std::string(node.name.text));
  auto code = inner.function(node.params, node.body);
  if (home_of(*variable) != Home::Global) declare(*variable);
  int mark = next_;
  Reg first = temps(4);
  emit_bx(Op::LoadConst, first, constant(tool_facts(node.name.text, node.params, node.return_type)));
  literal_defaults(node.params, first + 1);
  make_closure(first + 2, std::move(code), *context_.bindings.function(node));
  if (node.description) expression(node.description, first + 3);
  else literal_text("", first + 3);
  at(node.name.span);
  call_internal("__declare_tool", first, 4);
  define(*variable, first);
  release_to(mark);
  note_word(variable, false);
}

void FunctionCompiler::skill_declaration(const Skill& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  if (home_of(*variable) != Home::Global) declare(*variable);
  int mark = next_;
  Reg first = temps(2);
  literal_text(node.name.text, first);
  emit(Op::NewDict, first + 1);
  for (const SkillField& field : node.fields) {
    int inside = next_;
    Reg value = temp();
    expression(field.value, value);
    emit_x(Op::SetField, first + 1, value, 0, cache(field.name.text));
    release_to(inside);
  }
  at(node.name.span);
  call_internal("__declare_skill", first, 2);
  define(*variable, first);
  release_to(mark);
  note_word(variable, false);
}

// `@acp_tool(...)` and `@acp_skill(...)`: the function keeps its name; what it is promoted to is known to the runtime.
void FunctionCompiler::promotions(const Function& node, const Variable& variable) {
  for (const Attribute& attribute : node.attributes) {
    bool is_tool = attribute.name.text == "acp_tool";
    if (!is_tool && attribute.name.text != "acp_skill") continue;
    int mark = next_;
    Reg first = temps(4);
    emit_bx(Op::LoadConst, first, constant(tool_facts(node.name.text, node.params, node.return_type)));
    literal_defaults(node.params, first + 1);
    load(variable, first + 2);
    attribute_arguments(attribute, first + 3);
    at(attribute.span);
    call_internal(is_tool ? "__promote_tool" : "__promote_skill", first, 4);
    release_to(mark);
  }
}

void FunctionCompiler::attribute_arguments(const Attribute& attribute, Reg to) {
  emit(Op::NewDict, to);
  for (const AttributeArg& arg : attribute.args) {
    if (arg.name.empty()) continue;
    int mark = next_;
    Reg value = temp();
    attribute_value(*arg.value, value);
    emit_x(Op::SetField, to, value, 0, cache(arg.name.text));
    release_to(mark);
  }
}

// Words and calls are their text: `kind: read` is `kind: "read"`.
void FunctionCompiler::attribute_value(const AttributeValue& value, Reg to) {
  switch (value.kind) {
    case AttributeValueKind::String:
    case AttributeValueKind::Symbol:
    case AttributeValueKind::Call: literal_text(value.text, to); break;
    case AttributeValueKind::Int: integer(value.integer, to); break;
    case AttributeValueKind::Float: emit_bx(Op::LoadConst, to, constant(value.number)); break;
    case AttributeValueKind::Bool: emit(Op::LoadBool, to, value.integer != 0); break;
    case AttributeValueKind::Nil: emit(Op::LoadNil, to); break;
    case AttributeValueKind::List: {
      emit(Op::NewList, to, 0, 0);
      for (const AttributeValue* item : value.items) {
        int mark = next_;
        Reg part = temp();
        attribute_value(*item, part);
        emit(Op::ListPush, to, part);
        release_to(mark);
      }
      break;
    }
    case AttributeValueKind::Dict: {
      emit(Op::NewDict, to);
      for (size_t i = 0; i < value.items.size(); ++i) {
        int mark = next_;
        Reg part = temp();
        attribute_value(*value.items[i], part);
        emit_x(Op::SetField, to, part, 0, cache(value.keys[i].text));
        release_to(mark);
      }
      break;
    }
  }
}

}  // namespace harn::compile
