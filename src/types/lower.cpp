#include "types/lower.h"

#include <algorithm>
#include <utility>

namespace harn::types {

using namespace syntax;

namespace {

constexpr size_t kMostSteps = 64;         // aliases of aliases
constexpr size_t kMostAlternatives = 64;  // that a generic alias is written out for

types::Variance variance_of(const GenericParam& param) {
  switch (param.variance) {
    case syntax::Variance::Invariant: return types::Variance::Invariant;
    case syntax::Variance::In: return types::Variance::In;
    case syntax::Variance::Out: return types::Variance::Out;
  }
  return types::Variance::Invariant;
}

}  // namespace

List<GenericParam> generics_of(const Node& declaration) {
  switch (declaration.kind) {
    case NodeKind::TypeAlias: return declaration.as<TypeAlias>().generics;
    case NodeKind::Struct: return declaration.as<Struct>().generics;
    case NodeKind::Enum: return declaration.as<Enum>().generics;
    case NodeKind::Interface: return declaration.as<Interface>().generics;
    default: return {};
  }
}

// ---- annotations ----

const Type* Lowering::lower(const TypeNode& type) {
  switch (type.kind) {
    case TypeKind::Named: return named(type);
    case TypeKind::List: return table_.named(Kind::List, {lower(*type.items[0])});
    case TypeKind::Function: return function(type);
    case TypeKind::Shape: return shape(type);
    case TypeKind::Union: return table_.unite(lower_all(type.items));
    case TypeKind::Intersection: return table_.intersect(lower_all(type.items));
    case TypeKind::Optional: return table_.optional(lower(*type.items[0]));
    case TypeKind::StringLiteral: return table_.literal(type.text);
    case TypeKind::IntLiteral: return table_.literal(type.number);
    case TypeKind::BoolLiteral: return table_.literal_bool(type.number != 0);
    case TypeKind::Error: break;
  }
  return table_.broken();
}

std::vector<const Type*> Lowering::lower_all(List<const TypeNode*> types) {
  std::vector<const Type*> out;
  for (const TypeNode* type : types) out.push_back(lower(*type));
  return out;
}

const Type* Lowering::named(const TypeNode& type) {
  std::string_view name = type.name.text;
  Scope::Meaning meaning = scope_.find(type);
  if (meaning.is_parameter) {
    // The innermost of that name.
    auto found = std::find_if(bound_.rbegin(), bound_.rend(), [&](const Bound& bound) { return bound.name == name; });
    return found == bound_.rend() ? table_.parameter(name) : found->parameter;
  }
  std::vector<const Type*> arguments = lower_all(type.items);
  if (const Node* declaration = meaning.declaration) {
    switch (declaration->kind) {
      case NodeKind::TypeAlias: return table_.declared(Kind::Alias, name, *declaration, arguments);
      case NodeKind::Struct: return table_.declared(Kind::Struct, name, *declaration, arguments);
      case NodeKind::Enum: return table_.declared(Kind::Enum, name, *declaration, arguments);
      case NodeKind::Interface: return table_.declared(Kind::Interface, name, *declaration, arguments);
      default: break;
    }
  }
  const NamedKind* known = find_named_kind(name);
  if (!known) {
    scope_.unknown(type);
    return table_.foreign(name, arguments);
  }
  if (arguments.size() > known->variances.size()) {
    scope_.too_many_arguments(type);
    arguments.resize(known->variances.size());
  }
  return table_.named(known->kind, arguments);
}

const Type* Lowering::function(const TypeNode& type) {
  std::vector<types::Parameter> params;
  for (const TypeNode* item : type.items) params.push_back({.type = lower(*item)});
  return table_.function(params, type.result ? lower(*type.result) : table_.named(Kind::Any));
}

const Type* Lowering::shape(const TypeNode& type) {
  std::vector<Field> fields;
  for (const ShapeField& field : type.fields) fields.push_back({field.name.text, lower(*field.type), field.optional});
  std::vector<const Type*> tails;
  for (const TypeNode* tail : type.row_tails) tails.push_back(row_tail(*tail));
  return table_.shape(fields, tails);
}

// A name that is declared nowhere else is declared by standing here.
const Type* Lowering::row_tail(const TypeNode& type) {
  if (type.kind != TypeKind::Named || !type.items.empty()) return lower(type);
  Scope::Meaning meaning = scope_.find(type);
  bool is_known = meaning.is_parameter || meaning.declaration || find_named_kind(type.name.text);
  return is_known ? lower(type) : table_.parameter(type.name.text);
}

// ---- what declarations hold ----

template <class Read>
auto Lowering::inside(const Node& declaration, List<GenericParam> generics, Read read) {
  std::vector<Bound> own;
  for (const GenericParam& param : generics) {
    own.push_back({param.name.text, table_.parameter(param.name.text, &declaration, {}, variance_of(param))});
  }
  auto outer = std::exchange(bound_, std::move(own));
  auto out = read();
  bound_ = std::move(outer);
  return out;
}

const Type* Lowering::bound(const WhereBound& where) {
  const Node* declaration = scope_.find_bound(where);
  if (!declaration) return nullptr;
  bool is_alias = declaration->is(NodeKind::TypeAlias);
  if (!is_alias && !declaration->is(NodeKind::Interface)) return nullptr;
  const Type* type = table_.declared(is_alias ? Kind::Alias : Kind::Interface, where.interface.text, *declaration, {});
  const Type* meant = is_alias ? resolve(type) : type;
  return meant->kind == Kind::Interface ? meant : nullptr;
}

Lowering::Inside::Inside(Lowering& lowering, const Node& declaration, List<GenericParam> generics,
                         List<WhereBound> where)
    : lowering_(lowering), outer_(lowering.bound_.size()) {
  for (const GenericParam& param : generics) {
    std::vector<const Type*> bounds;
    for (const WhereBound& bound : where) {
      if (bound.type.text != param.name.text) continue;
      if (const Type* interface = lowering.bound(bound)) bounds.push_back(interface);
    }
    parameters_.push_back(lowering.table_.parameter(param.name.text, &declaration, bounds, variance_of(param)));
    lowering.bound_.push_back({param.name.text, parameters_.back()});
  }
}

Lowering::Inside::~Inside() { lowering_.bound_.resize(outer_); }

std::vector<const Type*> Lowering::own_parameters(const Node& declaration) {
  std::vector<const Type*> own;
  for (const GenericParam& param : generics_of(declaration)) {
    own.push_back(table_.parameter(param.name.text, &declaration, {}, variance_of(param)));
  }
  return own;
}

const Type* Lowering::self_type(const Struct& structure) {
  return table_.declared(Kind::Struct, structure.name.text, structure, own_parameters(structure));
}

const Type* Lowering::self_type(const Enum& enumeration) {
  return table_.declared(Kind::Enum, enumeration.name.text, enumeration, own_parameters(enumeration));
}

std::vector<Binding> Lowering::own_bindings(const Type* declared) {
  std::vector<Binding> out;
  for (const Type* own : own_parameters(*declared->declaration)) {
    size_t at = out.size();
    out.push_back({own, at < declared->items.size() ? declared->items[at] : table_.named(Kind::Any)});
  }
  return out;
}

std::vector<Binding> Lowering::bindings(const Node& declaration, List<GenericParam> generics, TypeList arguments) {
  std::vector<Binding> out;
  if (arguments.empty()) return out;
  for (size_t i = 0; i < generics.size(); ++i) {
    const GenericParam& param = generics[i];
    const Type* argument = i < arguments.size() ? arguments[i] : table_.named(Kind::Any);  // told as one too few
    out.push_back({table_.parameter(param.name.text, &declaration, {}, variance_of(param)), argument});
  }
  return out;
}

std::vector<Field> Lowering::substituted(const std::vector<Field>& fields, std::span<const Binding> bindings) {
  std::vector<Field> out = fields;
  for (Field& field : out) field.type = table_.substitute(field.type, bindings);
  return out;
}

std::vector<Field> Lowering::fields(const Type* structure) {
  auto& node = structure->declaration->as<Struct>();
  auto [found, is_new] = declared_fields_.try_emplace(&node);
  if (is_new) {
    found->second = inside(node, node.generics, [&] {
      std::vector<Field> fields;
      for (const StructField& field : node.fields) {
        const Type* type = field.type ? lower(*field.type) : table_.named(Kind::Any);
        fields.push_back({field.name.text, type, field.optional});
      }
      return fields;
    });
  }
  return substituted(found->second, bindings(node, node.generics, structure->items));
}

std::vector<Field> Lowering::payloads(const Type* enumeration) {
  auto& node = enumeration->declaration->as<Enum>();
  auto [found, is_new] = declared_fields_.try_emplace(&node);
  if (is_new) {
    found->second = inside(node, node.generics, [&] {
      std::vector<Field> fields;
      for (const EnumVariant& variant : node.variants) {
        for (const Param& field : variant.fields) {
          fields.push_back({variant.name.text, field.type ? lower(*field.type) : table_.named(Kind::Any)});
        }
      }
      return fields;
    });
  }
  return substituted(found->second, bindings(node, node.generics, enumeration->items));
}

// ---- aliases ----

const Type* Lowering::resolve(const Type* type) {
  for (size_t steps = 0; type->kind == Kind::Alias; ++steps) {
    if (steps == kMostSteps) return table_.named(Kind::Any);
    type = expand(type);
  }
  return type;
}

const Type* Lowering::whole_shape(const Type* shape) {
  constexpr size_t kDeepest = 500;  // tails in tails; nobody writes so many
  if (shape->items.empty() || whole_depth_ == kDeepest) return shape;
  // A shape that is part of itself has what it has.
  auto [known, is_new] = whole_shapes_.try_emplace(shape, shape);
  if (!is_new) return known->second;
  ++whole_depth_;
  std::vector<const Type*> tails;
  for (const Type* tail : shape->items) {
    const Type* meant = resolve(tail);
    tails.push_back(meant->kind == Kind::Shape ? whole_shape(meant) : meant);
  }
  --whole_depth_;
  return whole_shapes_[shape] = table_.shape(shape->fields, tails, shape->loose);
}

const Type* Lowering::alias_body(const TypeAlias& node) {
  auto [found, is_new] = alias_bodies_.try_emplace(&node, nullptr);
  if (is_new) found->second = inside(node, node.generics, [&] { return lower(*node.type); });
  return found->second;
}

const Type* Lowering::expand(const Type* alias) {
  if (auto known = expanded_.find(alias); known != expanded_.end()) return known->second;
  auto& node = alias->declaration->as<TypeAlias>();
  expanding_.push_back(alias);
  const Type* type = node.generics.empty() ? nullptr : distribute(alias);
  if (!type) type = table_.substitute(alias_body(node), bindings(node, node.generics, alias->items));
  expanding_.pop_back();
  return expanded_[alias] = type;
}

// One alias for each way to choose from an argument that is a union; null when none is, or when that would be too many.
const Type* Lowering::distribute(const Type* alias) {
  size_t total = 1, chosen = alias->items.size();
  std::vector<const Type*> choices;
  for (size_t i = 0; i < alias->items.size(); ++i) {
    std::vector<const Type*> alternatives;
    // A union that the alias is itself a part of is not closed.
    if (!add_alternatives(alias->items[i], alternatives) || alternatives.size() < 2) continue;
    total *= alternatives.size();
    if (total > kMostAlternatives) return nullptr;
    if (chosen != alias->items.size()) continue;
    chosen = i;
    choices = std::move(alternatives);
  }
  if (choices.empty()) return nullptr;
  std::vector<const Type*> each;
  std::vector<const Type*> arguments(alias->items.begin(), alias->items.end());
  for (const Type* choice : choices) {
    arguments[chosen] = choice;
    each.push_back(table_.declared(Kind::Alias, alias->text, *alias->declaration, arguments));
  }
  return table_.unite(each);
}

bool Lowering::is_expanding(const Type* type) const { return std::ranges::find(expanding_, type) != expanding_.end(); }

bool Lowering::add_alternatives(const Type* type, std::vector<const Type*>& out) {
  if (is_expanding(type)) return false;
  expanding_.push_back(type);
  const Type* meant = resolve(type);
  bool is_closed = true;
  if (meant->kind != Kind::Union) out.push_back(type);
  else is_closed = std::ranges::all_of(meant->items, [&](const Type* item) { return add_alternatives(item, out); });
  expanding_.pop_back();
  return is_closed;
}

}  // namespace harn::types
