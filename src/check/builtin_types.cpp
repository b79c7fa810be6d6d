#include "check/builtin_types.h"

#include "types/signature.h"

namespace harn::check {

using types::argument;

std::string_view receiver_name(Kind kind) {
  switch (kind) {
    case Kind::String:
    case Kind::StringLiteral: return "string";
    case Kind::Int:
    case Kind::Duration:
    case Kind::IntLiteral: return "int";
    case Kind::Float: return "float";
    case Kind::Bool:
    case Kind::BoolLiteral: return "bool";
    case Kind::Bytes: return "bytes";
    case Kind::List: return "list";
    case Kind::Dict:
    case Kind::Shape: return "dict";
    case Kind::Set: return "set";
    case Kind::Pair: return "pair";
    case Kind::Iter: return "iter";
    case Kind::Generator:
    case Kind::Stream: return "generator";
    case Kind::Enum:
    case Kind::Result: return "enum";
    case Kind::Channel: return "channel";
    case Kind::Task: return "taskHandle";
    case Kind::Atomic: return "atomic";
    case Kind::Rng: return "rng";
    case Kind::Function:
    case Kind::Closure: return "closure";
    default: return {};
  }
}

const Type* builtin_signature(Knowledge& known, const compile::MethodInfo& method) {
  return types::parse_signature(known.table, method.signature.text());
}

std::vector<types::Binding> receiver_bindings(Knowledge& known, const Type* receiver) {
  std::vector<types::Binding> out;
  // What a receiver does not say is not for the arguments to say.
  auto bind = [&](std::string_view name, const Type* type) {
    out.push_back({known.table.parameter(name), type ? type : known.any()});
  };
  switch (receiver->kind) {
    case Kind::String:
    case Kind::StringLiteral: bind("T", known.table.named(Kind::String)); break;
    case Kind::Dict: {
      const Type* value = argument(receiver, 1);
      bind("V", value);
      bind("T", known.table.named(Kind::Pair, {known.table.named(Kind::String), value ? value : known.any()}));
      break;
    }
    // A dict of its own kind for each key: what a loop over its pairs sees is any of them.
    case Kind::Shape: {
      std::vector<const Type*> values;
      for (const types::Field& field : receiver->fields) values.push_back(known.widened(field.type));
      bool is_closed = !receiver->loose && receiver->items.empty();
      const Type* value = is_closed ? known.table.unite(values) : known.any();
      bind("T", known.table.named(Kind::Pair, {known.table.named(Kind::String), value}));
      break;
    }
    case Kind::Pair:
      bind("A", argument(receiver, 0));
      bind("B", argument(receiver, 1));
      break;
    case Kind::List:
    case Kind::Set:
    case Kind::Iter:
    case Kind::Generator:
    case Kind::Stream:
    case Kind::Channel: bind("T", argument(receiver, 0)); break;
    default: break;
  }
  return out;
}

const Type* with_receiver(Knowledge& known, const Type* type, const Type* receiver) {
  std::vector<types::Binding> bindings = receiver_bindings(known, receiver);
  for (std::string_view name : {"T", "U", "V", "A", "B"}) {
    const Type* parameter = known.table.parameter(name);
    bool is_bound = false;
    for (const types::Binding& binding : bindings) is_bound |= binding.parameter == parameter;
    if (!is_bound) bindings.push_back({parameter, known.any()});
  }
  return known.table.substitute(type, bindings);
}

}  // namespace harn::check
