// Fields, subscripts, slices: what they find, and what is said about values that may be nil or anything.
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "check/builtin_types.h"
#include "check/checker.h"
#include "check/kinds.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

bool Checker::is_loose(const Node& object) {
  const Node* at = &object;
  while (at->is(NodeKind::Member) || at->is(NodeKind::Index)) {
    at = at->is(NodeKind::Member) ? at->as<Member>().object : at->as<Index>().object;
  }
  return at->is(NodeKind::Identifier) && current(*at).loose;
}

const Type* Checker::receiver(const Node& object, const Type* type, bool optional, const std::string& subject,
                              const std::string& with_mark) {
  const Type* plain = known_.relation.plain(type);
  if (is_strict_ && plain->kind != Kind::Unknown) check_outside(object, subject);
  if (types::is_gradual(plain) || plain->kind == Kind::Never) return nullptr;
  if (plain->kind == Kind::Unknown) {
    report(Code::UnknownAccess, object.span, subject)
        .label("this may be anything")
        .help("narrow it with `type_of`, validate it with `schema_is` or `schema_expect`, or annotate its shape");
    assume(object, any());
    return nullptr;
  }
  if (!known_.has_nil(type)) return type;
  const Type* rest = known_.without_nil(type);
  bool is_nil = known_.relation.plain(rest)->kind == Kind::Never;
  if (!optional && !is_loose(object)) {
    std::string why =
        is_nil ? fmt::format("cannot access {} on `nil`: it is known to be nil here", subject)
               : fmt::format("cannot access {} on nilable type `{}`: it may be nil at run time", subject, shown(type));
    report(Code::NilAccess, object.span, why)
        .label(is_nil ? "always nil" : "may be nil")
        .help(fmt::format("write `{}`, check `!= nil` first, or give a default with `??`", with_mark));
    assume(object, is_nil ? any() : rest);
  }
  return is_nil ? nullptr : rest;
}

// What an access gives whose receiver nothing can be said about: `nil?.x` is nil.
const Type* Checker::nothing_inside(const Type* type, bool optional) {
  return optional && known_.relation.plain(type)->kind == Kind::Nil ? known_.nil() : any();
}

// From here on: one mistake is told once.
void Checker::assume(const Node& object, const Type* type) {
  if (PathId path = path_of(object)) flow_.set(path, {type});
}

// ---- fields ----

// The declaration that a name stands for, if it is one.
static const Node* declaration_of(const Node& node, const compile::Bindings& bindings) {
  if (!node.is(NodeKind::Identifier)) return nullptr;
  const compile::Variable* variable = bindings.variable(node);
  return variable ? variable->declaration : nullptr;
}

const Type* Checker::member(const Member& node, const Type* expected) {
  if (node.name.empty()) return any();  // did not parse
  const Node* declaration = declaration_of(*node.object, bindings_);
  if (declaration && declaration->is(NodeKind::Enum)) {
    return variant_call(declaration->as<Enum>(), node.name, {}, expected);
  }
  bool is_namespace = node.object->is(NodeKind::Identifier) && !variable(*node.object);
  if (is_namespace || (declaration && declaration->kind >= NodeKind::Function)) {
    return any();
  }
  const Type* type = infer(*node.object);
  const Type* inside = receiver(*node.object, type, node.optional, fmt::format("property `{}`", node.name.text),
                                fmt::format("?.{}", node.name.text));
  if (!inside) return nothing_inside(type, node.optional);
  const Type* found = field_of(inside, node.name.text);
  if (!found) {
    // `f?.x` of a function is nil, as of everything that has no fields at all.
    bool is_function = has_use(known_.relation.plain(inside)->kind, kCalled);
    if (is_loose(*node.object) || (node.optional && is_function)) return any();
    auto lacks = [&](const Type* alternative) { return !field_of(alternative, node.name.text); };
    unknown_field(node, *std::ranges::find_if(known_.members(inside), lacks));
    return any();
  }
  if (PathId path = path_of(node)) {
    if (const Fact* fact = flow_.find(path)) return fact->type;
  }
  return node.optional && known_.has_nil(type) ? known_.table.optional(found) : found;
}

const Type* Checker::field_of(const Type* type, std::string_view name) {
  const Type* plain = known_.relation.plain(type);
  switch (plain->kind) {
    case Kind::Union: {
      auto [known, is_new] = known_.union_fields[plain].try_emplace(name, nullptr);
      if (!is_new) return known->second;
      std::vector<const Type*> all;
      for (const Type* item : known_.members(plain)) {
        const Type* field = field_of(item, name);
        if (!field) return nullptr;
        all.push_back(field);
      }
      return known_.union_fields[plain][name] = known_.table.unite(all);
    }
    case Kind::Shape:
    case Kind::Struct:
    case Kind::Intersection: {
      const Type* shape = known_.relation.as_shape(plain);
      if (!shape) return any();
      for (const types::Field& field : shape->fields) {
        if (field.name == name) return field.optional ? known_.table.optional(field.type) : field.type;
      }
      if (!shape->items.empty() || shape->loose) return property_of(plain, name, any());  // it may have others
      if (plain->kind == Kind::Struct) return known_.method(plain, name) ? named(Kind::Closure) : nullptr;
      return property_of(shape, name, nullptr);
    }
    case Kind::Dict: {
      const Type* value = argument(plain, 1);
      return value && !types::is_gradual(value) ? known_.table.optional(value) : any();
    }
    case Kind::Interface:
      if (const Type* method = known_.interface_method(plain, name)) return method;
      return nullptr;
    case Kind::Schema:
    case Kind::Parameter: return any();
    default: break;
  }
  return property_of(plain, name, nullptr);
}

const Type* Checker::property_of(const Type* plain, std::string_view name, const Type* otherwise) {
  std::string_view receiver = receiver_name(plain->kind);
  if (receiver.empty()) return any();
  const compile::MethodInfo* method = known_.builtin_method(receiver, name);
  if (!method) return otherwise;
  if (!bytecode::has(method->flags, bytecode::BuiltinFlags::Property)) return named(Kind::Closure);
  const Type* signature = builtin_signature(known_, *method);
  // `first` without arguments is what the property means.
  const Type* overload = signature->kind == Kind::Intersection ? signature->items[0] : signature;
  return with_receiver(known_, overload->result, plain);
}

std::vector<std::string_view> Checker::field_names(const Type* type) {
  std::vector<std::string_view> out;
  const Type* plain = known_.relation.plain(type);
  if (const Type* shape = known_.relation.as_shape(plain)) {
    for (const types::Field& field : shape->fields) out.push_back(field.name);
    if (plain->kind == Kind::Struct) {
      if (auto* methods = known_.methods(plain)) {
        for (const Function* method : *methods) out.push_back(method->name.text);
      }
    }
    return out;
  }
  return known_.method_names(receiver_name(plain->kind));
}

void Checker::unknown_field(const Member& node, const Type* type) {
  slips_.insert(&node);
  tell_unknown_field(node.name, type);
}

void Checker::tell_unknown_field(const Name& name, const Type* type) {
  const Type* plain = known_.relation.plain(type);
  std::string what = plain->kind == Kind::Struct  ? fmt::format("struct `{}`", plain->text)
                     : plain->kind == Kind::Shape ? fmt::format("shape `{}`", shown(type))
                                                  : fmt::format("`{}`", shown(type));
  auto told = report(Code::UnknownField, name.span, name.text, what);
  auto names = field_names(type);
  auto close = text::close_names(name.text, names);
  if (!close.empty()) {
    told.help(fmt::format("did you mean `{}`?", close[0]));
    told.fix({fmt::format("use `{}`", close[0]), name.span, std::string(close[0]), false});
  } else if (known_.relation.as_shape(plain) && !names.empty()) {
    told.help(fmt::format("it has {}", fmt::join(names, ", ")));
  }
}

// ---- subscripts ----

const Type* Checker::index(const Index& node) {
  const Type* type = infer(*node.object);
  const Type* key = infer(*node.index);
  const Type* inside = receiver(*node.object, type, node.optional, "a subscript", "?[...]");
  if (!inside) return nothing_inside(type, node.optional);
  const Type* found = nullptr;
  for (const Type* alternative : known_.members(inside)) {
    const Type* plain = known_.relation.plain(alternative);
    const Type* item = any();
    switch (plain->kind) {
      case Kind::List:
      case Kind::String:
      case Kind::StringLiteral:
      case Kind::Bytes:
        if (!fits(key, named(Kind::Int))) {
          report(Code::BadSubscript, node.index->span, shown(alternative), shown(known_.widened(key)))
              .label("found this type");
          return any();
        }
        if (plain->kind == Kind::List) item = item_at(plain);
        else item = plain->kind == Kind::Bytes ? named(Kind::Int) : named(Kind::String);
        break;
      case Kind::Dict:
        // A key that is written out may be missing; one that was worked out is taken to come from the dict.
        if (const Type* value = argument(plain, 1)) {
          bool is_literal = node.index->is(NodeKind::StringLiteral);
          item = is_literal && !types::is_gradual(value) ? known_.table.optional(value) : value;
        }
        break;
      case Kind::Shape:
      case Kind::Struct:
      case Kind::Intersection:
        if (!node.index->is(NodeKind::StringLiteral)) break;
        item = field_of(plain, node.index->as<StringLiteral>().value);
        if (!item) item = known_.nil();
        break;
      default:
        if (has_use(plain->kind, kIndexed)) break;
        report(Code::BadSubscript, node.index->span, shown(alternative), shown(known_.widened(key)))
            .label("nothing inside can be looked up");
        return any();
    }
    found = found ? known_.table.unite({found, item}) : item;
  }
  if (!found) return any();
  if (PathId path = path_of(node)) {
    if (const Fact* fact = flow_.find(path)) return fact->type;
  }
  return node.optional && known_.has_nil(type) ? known_.table.optional(found) : found;
}

const Type* Checker::slice(const Slice& node) {
  const Type* type = infer(*node.object);
  for (const Node* bound : {node.start, node.end}) {
    if (!bound) continue;
    const Type* found = infer(*bound);
    bool is_open = known_.relation.plain(found)->kind == Kind::Unknown;
    if (is_open || is_loose(*bound) || fits(found, known_.table.optional(named(Kind::Int)))) continue;
    report(Code::BadSubscript, bound->span, shown(type), shown(known_.widened(found)))
        .label(fmt::format("slice {} must be an integer", bound == node.start ? "start" : "end"));
  }
  const Type* inside = receiver(*node.object, type, false, "a slice", "(... ?? [])[...]");
  if (!inside) return any();
  std::vector<const Type*> parts;
  for (const Type* alternative : known_.members(inside)) {
    const Type* plain = known_.relation.plain(alternative);
    if (!has_use(plain->kind, kSliced)) {
      report(Code::BadOperand, node.span, fmt::format("cannot slice {}", shown(known_.widened(alternative))))
          .label("only lists, texts and bytes have parts in a row");
      return any();
    }
    bool is_text = plain->kind == Kind::String || plain->kind == Kind::StringLiteral;
    parts.push_back(is_text ? named(Kind::String) : says_nothing(plain->kind) ? any() : alternative);
  }
  return known_.table.unite(parts);
}

}  // namespace harn::check
