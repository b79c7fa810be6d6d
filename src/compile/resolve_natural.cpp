// Names in Natural blocks. A block reads the variables around it by name, may write those it says it writes, and sees all
// variables of its function.
#include "compile/attributes.h"
#include "compile/resolve.h"

namespace harn::compile {

using namespace syntax;

namespace {

// The type that `throw` gives a value of, as far as the text says it: `throw Failed {...}`, `throw Problem.Late(3)`.
std::string_view thrown_type(const Node* value) {
  if (value->is(NodeKind::Call)) value = value->as<Call>().callee;
  if (value->is(NodeKind::StructLiteral)) return value->as<StructLiteral>().name.text;
  const Node* object = value->is(NodeKind::Member)       ? value->as<Member>().object
                       : value->is(NodeKind::MethodCall) ? value->as<MethodCall>().object
                                                         : nullptr;
  return object && object->is(NodeKind::Identifier) ? object->as<Identifier>().name : std::string_view();
}

// `Result<T, E>`: E.
void add_result_error(const TypeNode& type, std::vector<std::string_view>& out) {
  if (type.kind == TypeKind::Named && type.name.text == "Result" && type.items.size() == 2 &&
      type.items[1]->kind == TypeKind::Named) {
    out.push_back(type.items[1]->name.text);
  }
}

// Without recursion: a chain of operators is as deep as it is long.
std::vector<std::string_view> error_names(const Declaration& function) {
  std::vector<std::string_view> out;
  std::vector<const Node*> open{&function};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node->is(NodeKind::Throw)) out.push_back(thrown_type(node->as<Throw>().value));
    if (node->is(NodeKind::Try)) {
      const TypeNode* caught = node->as<Try>().error_type;
      if (caught && caught->kind == TypeKind::Named) out.push_back(caught->name.text);
    }
    for_each_child(*node, [&]<OneOf<Node, TypeNode> Child>(const Child& child) {
      if constexpr (std::same_as<Child, Node>) open.push_back(&child);
      else add_result_error(child, out);
    });
  }
  return out;
}

}  // namespace

void Resolver::note_natural(const Declaration& node, FunctionInfo& info) {
  if (find_attribute(node, "natural_function")) info.natural = &node;
}

std::vector<Variable*> Resolver::natural_errors(const Declaration& function) {
  std::vector<Variable*> out;
  for (std::string_view name : error_names(function)) {
    Variable* type = name.empty() ? nullptr : scopes_.find(name);
    if (!type || !type->declaration || std::find(out.begin(), out.end(), type) != out.end()) continue;
    if (!type->declaration->is(NodeKind::Struct) && !type->declaration->is(NodeKind::Enum)) continue;
    scopes_.use(*type);
    out.push_back(type);
  }
  return out;
}

// What a block writes and nobody has declared is a variable from there on. As with one that the body of an `if` declares, only the run
// can tell whether it is set.
void Resolver::natural_output(const Identifier& name) {
  const Variable* known = scopes_.find(name.name);
  if (!known || known->declaration) scopes_.in_body([&] { scopes_.declare({name.name, name.span}, true); });
  identifier(name, false);
  if (Variable* variable = bindings_.variable(name)) note_assignment(*variable, name, diag::Code::NaturalFixedOutput);
  // The only variable that it may mean need not be set to be written.
  auto& candidates = names_.resolution.candidates;
  auto found = candidates.find(&name);
  if (found != candidates.end() && found->second.size() == 2 && !found->second[1]) candidates.erase(found);
}

void Resolver::visit(const Natural& node) {
  read(node.program);
  for (const Node* input : node.inputs) read(input);
  for (const Node* output : node.outputs) natural_output(output->as<Identifier>());
  NaturalUse& use = names_.resolution.natural[&node];
  use.locals = scopes_.use_locals();
  use.in_loop = loop_depth_ > 0;
  const Declaration* function = scopes_.function()->natural;
  if (!function) return;
  use.errors = natural_errors(*function);
  use.made = natural_made(node);
  use.ensures = natural_predicate(*find_attribute(*function, "natural_function"));
}

// Those that the annotations of what it writes or returns name, and those that their fields do. One that has no name here cannot be made.
std::vector<Variable*> Resolver::natural_made(const Natural& node) {
  std::vector<const TypeNode*> open;
  for (const Node* output : node.outputs) {
    const Variable* variable = bindings_.variable(output->as<Identifier>());
    if (variable && variable->type) open.push_back(variable->type);
  }
  if (scopes_.function()->return_type) open.push_back(scopes_.function()->return_type);
  std::vector<Variable*> seen, out;
  while (!open.empty()) {
    const TypeNode* type = open.back();
    open.pop_back();
    for (const TypeNode* item : type->items) open.push_back(item);
    Variable* named = type->kind == TypeKind::Named ? scopes_.find(type->name.text) : nullptr;
    if (!named || !named->declaration || std::find(seen.begin(), seen.end(), named) != seen.end()) continue;
    seen.push_back(named);
    const Node& declaration = *named->declaration;
    if (declaration.is(NodeKind::TypeAlias)) open.push_back(declaration.as<TypeAlias>().type);
    if (declaration.is(NodeKind::Struct)) {
      for (const StructField& field : declaration.as<Struct>().fields) open.push_back(field.type);
    } else if (declaration.is(NodeKind::Enum)) {
      for (const EnumVariant& variant : declaration.as<Enum>().variants) {
        for (const Param& carried : variant.fields) {
          if (carried.type) open.push_back(carried.type);
        }
      }
    } else {
      continue;
    }
    scopes_.use(*named);
    out.push_back(named);
  }
  return out;
}

Variable* Resolver::natural_predicate(const Attribute& attribute) {
  for (const AttributeArg& arg : attribute.args) {
    if (arg.name.text != "ensures" || arg.value->kind != AttributeValueKind::Symbol) continue;
    Variable* predicate = scopes_.find(arg.value->text);
    if (predicate) scopes_.use(*predicate);
    else report_unknown(arg.value->text, arg.value->span, true, scopes_.scope());
    return predicate;
  }
  return nullptr;
}

}  // namespace harn::compile
