// What can be relied on when a program runs. Types alone do not say: `xs[0]` of a list of ints is an int to the checker, and
// nil when the list is empty; an annotation of a variable is a promise that nobody checks when it runs, that of a parameter
// is checked with each call.
#include "check/module_facts.h"

#include "check/builtin_types.h"
#include "check/checker.h"

namespace harn::check {

using namespace syntax;

ModuleFacts::ModuleFacts(Knowledge& knowledge, const modules::Module& module) : known_(knowledge), module_(module) {
  diag::Sink unheard(diag::Sink::kAll);
  Checker(known_, module, unheard, &types_).check_module();
}

// The type is that of values which are something, whatever the run does.
static bool is_something(Kind kind) {
  switch (kind) {
    case Kind::Bool:
    case Kind::BoolLiteral:
    case Kind::Int:
    case Kind::IntLiteral:
    case Kind::Float:
    case Kind::Number:
    case Kind::String:
    case Kind::StringLiteral:
    case Kind::Bytes:
    case Kind::Duration:
    case Kind::List:
    case Kind::Dict:
    case Kind::Set:
    case Kind::Shape:
    case Kind::Struct:
    case Kind::Enum:
    case Kind::Function:
    case Kind::Closure: return true;
    default: return false;
  }
}

bool ModuleFacts::has_no_nil(const Node& node) const {
  const Type* type = types_.of(node);
  if (!type) return false;
  auto& members = known_.members(type);
  for (const Type* member : members) {
    if (!is_something(known_.relation.plain(member)->kind)) return false;
  }
  return !members.empty();
}

bool ModuleFacts::is_text(const Node& node) const {
  const Type* type = types_.of(node);
  if (!type || trust(node) != Trust::Certain) return false;
  Kind kind = known_.relation.plain(type)->kind;
  return kind == Kind::String || kind == Kind::StringLiteral;
}

Trust ModuleFacts::trust(const Node& node) const {
  switch (node.kind) {
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::ListLiteral:
    case NodeKind::DictLiteral:
    case NodeKind::StructLiteral:
    case NodeKind::Closure: return Trust::Certain;
    case NodeKind::Identifier: return trust_name(node);
    case NodeKind::Unary: return Trust::Certain;
    case NodeKind::Binary: {
      auto& binary = node.as<Binary>();
      return binary.op == BinaryOp::Coalesce ? never_nil(*binary.right) : Trust::Certain;
    }
    case NodeKind::Ternary:
      return std::min(never_nil(*node.as<Ternary>().then_value), never_nil(*node.as<Ternary>().else_value));
    case NodeKind::Member: {
      // A field that must be there, of something that is there itself.
      auto& member = node.as<Member>();
      const Type* object = types_.of(*member.object);
      const Type* shape = object ? known_.relation.as_shape(object) : nullptr;
      if (!shape || shape->loose) return Trust::None;
      for (const types::Field& field : shape->fields) {
        if (field.name == member.name.text && !field.optional) return never_nil(*member.object);
      }
      return Trust::None;
    }
    case NodeKind::Call: return trust_call(*node.as<Call>().callee);
    case NodeKind::MethodCall: {
      auto& call = node.as<MethodCall>();
      return call.optional ? Trust::None : trust_method(*call.object, call.name.text);
    }
    default: return Trust::None;
  }
}

Trust ModuleFacts::trust_name(const Node& name) const {
  const compile::Variable* variable = known_.program.bindings(module_).variable(name);
  if (!variable || variable->declarations.size() > 1) return Trust::None;
  if (!variable->type) return Trust::None;
  // What is passed is checked when it is; what is assigned later is not.
  return variable->is_parameter && !variable->assigned ? Trust::Certain : Trust::Promised;
}

Trust ModuleFacts::trust_call(const Node& callee) const {
  if (!callee.is(NodeKind::Identifier)) return Trust::None;
  const compile::Variable* variable = known_.program.bindings(module_).variable(callee);
  if (variable) {
    const Node* declaration = variable->assigned ? nullptr : variable->declaration;
    if (!declaration || !declaration->is(NodeKind::Function)) return Trust::None;
    auto& function = declaration->as<Function>();
    return function.return_type && !known_.function(function)->result->has_parameters ? Trust::Promised : Trust::None;
  }
  const Type* type = known_.builtin(callee.as<Identifier>().name);
  bool is_plain = type && type->kind == Kind::Function && !type->result->has_parameters;
  return is_plain ? Trust::Certain : Trust::None;
}

Trust ModuleFacts::trust_method(const Node& object, std::string_view name) const {
  const Type* type = types_.of(object);
  if (!type || !has_no_nil(object) || trust(object) == Trust::None) return Trust::None;
  const Type* plain = known_.relation.plain(type);
  // Fields of dicts may hold functions under any name.
  if (plain->kind != Kind::String && plain->kind != Kind::StringLiteral && plain->kind != Kind::List)
    return Trust::None;
  const compile::MethodInfo* method = known_.builtin_method(receiver_name(plain->kind), name);
  const Type* signature = method ? builtin_signature(known_, *method) : nullptr;
  bool is_plain = signature && signature->kind == Kind::Function && !signature->result->has_parameters;
  return is_plain ? trust(object) : Trust::None;
}

}  // namespace harn::check
