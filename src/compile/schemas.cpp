#include "compile/schemas.h"

#include <algorithm>
#include <utility>

namespace harn::compile {

using bytecode::Data;
using bytecode::DataPtr;
using types::Kind;
using types::Type;
using types::TypeList;

namespace {

constexpr size_t kMostOpen = 40;  // declared types inside each other; deeper ones take anything
constexpr size_t kMostInDeclaration = 64;

DataPtr text(std::string_view value) { return make_data(std::string(value)); }
DataPtr anything() { return make_data(Data::Dict()); }

std::string_view schema_name(Kind kind) {
  switch (kind) {
    case Kind::Int:
    case Kind::IntLiteral: return "integer";
    case Kind::Float:
    case Kind::Number: return "number";
    case Kind::String:
    case Kind::StringLiteral: return "string";
    case Kind::Bool:
    case Kind::BoolLiteral: return "boolean";
    case Kind::Nil: return "null";
    case Kind::List: return "array";
    case Kind::Dict: return "object";
    default: return {};
  }
}

bool is_literal(Kind kind) {
  return kind == Kind::StringLiteral || kind == Kind::IntLiteral || kind == Kind::BoolLiteral;
}

DataPtr literal(const Type* type) {
  if (type->kind == Kind::StringLiteral) return text(type->text);
  if (type->kind == Kind::IntLiteral) return make_data(type->integer);
  return make_data(type->integer != 0);
}

}  // namespace

DataPtr Schemas::of(const Type* type) {
  switch (type->kind) {
    case Kind::Alias:
    case Kind::Struct: return declared(type);
    case Kind::Shape: return object(lowering_.whole_shape(type)->fields);
    case Kind::Union: return any_of(type->items);
    case Kind::Intersection: {
      Data::List all;
      for (const Type* item : type->items) all.push_back(of(item));
      return make_data(Data::Dict{{"allOf", make_data(std::move(all))}});
    }
    case Kind::StringLiteral:
    case Kind::IntLiteral:
    case Kind::BoolLiteral: return values(schema_name(type->kind), {literal(type)});
    case Kind::Owned: return type->items.empty() ? anything() : of(type->items[0]);
    default: return named(type);
  }
}

DataPtr Schemas::named(const Type* type) {
  std::string_view name = schema_name(type->kind);
  if (name.empty()) return anything();
  Data::Dict schema = {{"type", text(name)}};
  if (type->kind == Kind::List && !type->items.empty()) schema.emplace_back("items", of(type->items[0]));
  if (type->kind == Kind::Dict && type->items.size() == 2) {
    schema.emplace_back("additionalProperties", of(type->items[1]));
  }
  return make_data(std::move(schema));
}

DataPtr Schemas::object(std::span<const types::Field> fields) {
  Data::Dict properties;
  Data::List required;
  for (const types::Field& field : fields) {
    properties.emplace_back(std::string(field.name), of(field.type));
    if (!field.optional) required.push_back(text(field.name));
  }
  Data::Dict schema = {{"type", text("object")}, {"properties", make_data(std::move(properties))}};
  if (!required.empty()) schema.emplace_back("required", make_data(std::move(required)));
  return make_data(std::move(schema));
}

DataPtr Schemas::values(std::string_view type, Data::List values) {
  if (values.size() == 1) return make_data(Data::Dict{{"type", text(type)}, {"const", values[0]}});
  return make_data(Data::Dict{{"type", text(type)}, {"enum", make_data(std::move(values))}});
}

// Literals of one kind are listed together, where the first of them stands.
DataPtr Schemas::any_of(TypeList members) {
  Data::List choices;
  for (auto at = members.begin(); at != members.end(); ++at) {
    Kind kind = (*at)->kind;
    auto is_alike = [&](const Type* other) { return other->kind == kind; };
    if (!is_literal(kind)) {
      choices.push_back(of(*at));
    } else if (std::none_of(members.begin(), at, is_alike)) {
      Data::List alike;
      for (const Type* member : members) {
        if (is_alike(member)) alike.push_back(literal(member));
      }
      choices.push_back(values(schema_name(kind), std::move(alike)));
    }
  }
  if (choices.size() == 1) return choices[0];
  return make_data(Data::Dict{{"anyOf", make_data(std::move(choices))}});
}

// Where a type is part of itself, anything fits.
DataPtr Schemas::declared(const Type* type) {
  if (auto known = made_.find(type); known != made_.end()) return known->second;
  auto open = std::ranges::find(open_, type);
  if (open != open_.end()) {
    reaches_ = std::min(reaches_, static_cast<size_t>(open - open_.begin()));
    return anything();
  }
  if (open_.size() >= kMostOpen || left_ == 0) {
    reaches_ = 0;
    return anything();
  }
  --left_;
  size_t own = open_.size();
  size_t outer_reach = std::exchange(reaches_, SIZE_MAX);
  open_.push_back(type);
  DataPtr made = contents(type);
  open_.pop_back();
  // One that stops at something around it would go on elsewhere.
  if (reaches_ >= own) made_[type] = made;
  else outer_reach = std::min(outer_reach, reaches_);
  reaches_ = outer_reach;
  return made;
}

DataPtr Schemas::of_declaration(const Type* structure) {
  left_ = kMostInDeclaration;
  DataPtr made = of(structure);
  // Whoever asks for the whole of it gets the whole.
  if (left_ == 0) made_.erase(structure);
  left_ = SIZE_MAX;
  return made;
}

DataPtr Schemas::contents(const Type* type) {
  if (type->kind != Kind::Struct) return of(lowering_.resolve(type));
  auto fields = lowering_.fields(type);
  for (types::Field& field : fields) {
    // An instance has a nil where nothing was given.
    if (field.optional) field.type = lowering_.table().optional(field.type);
  }
  return object(fields);
}

}  // namespace harn::compile
