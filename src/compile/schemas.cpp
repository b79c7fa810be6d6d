#include "compile/schemas.h"

#include <algorithm>
#include <utility>

#include "base/fmt.h"

namespace harn::compile {

using bytecode::Data;
using bytecode::DataPtr;
using types::Kind;
using types::Type;
using types::TypeList;

namespace {

constexpr size_t kMostOpen = 40;  // declared types inside each other; deeper ones take anything
constexpr size_t kMostInDeclaration = 64;
constexpr size_t kMostWritten = 500;
constexpr size_t kMostShared = 1000;

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
  left_ = kMostWritten;
  is_cut_ = false;
  return write(type);
}

DataPtr Schemas::write(const Type* type) {
  switch (type->kind) {
    case Kind::Alias:
    case Kind::Struct: return declared(type);
    case Kind::Shape: return object(lowering_.whole_shape(type)->fields);
    case Kind::Union: return any_of(type->items);
    case Kind::Intersection: {
      Data::List all;
      for (const Type* item : type->items) all.push_back(write(item));
      return make_data(Data::Dict{{"allOf", make_data(std::move(all))}});
    }
    case Kind::StringLiteral:
    case Kind::IntLiteral:
    case Kind::BoolLiteral: return values(schema_name(type->kind), {literal(type)});
    case Kind::Owned: return type->items.empty() ? anything() : write(type->items[0]);
    default: return named(type);
  }
}

DataPtr Schemas::named(const Type* type) {
  std::string_view name = schema_name(type->kind);
  if (name.empty()) return anything();
  Data::Dict schema = {{"type", text(name)}};
  if (type->kind == Kind::List && !type->items.empty()) schema.emplace_back("items", write(type->items[0]));
  if (type->kind == Kind::Dict && type->items.size() == 2) {
    schema.emplace_back("additionalProperties", write(type->items[1]));
  }
  return make_data(std::move(schema));
}

DataPtr Schemas::object(std::span<const types::Field> fields) {
  Data::Dict properties;
  Data::List required;
  for (const types::Field& field : fields) {
    properties.emplace_back(std::string(field.name), write(field.type));
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
      choices.push_back(write(*at));
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
  if (is_shared_) return reference(type);
  if (auto known = made_.find(type); known != made_.end() && known->second.types <= left_) {
    left_ -= known->second.types;
    return known->second.data;
  }
  auto open = std::ranges::find(open_, type);
  if (open != open_.end()) {
    reaches_ = std::min(reaches_, static_cast<size_t>(open - open_.begin()));
    return anything();
  }
  if (open_.size() >= kMostOpen || left_ == 0) {
    is_cut_ = true;
    reaches_ = 0;
    return anything();
  }
  size_t before = left_--;
  size_t own = open_.size();
  size_t outer_reach = std::exchange(reaches_, SIZE_MAX);
  open_.push_back(type);
  DataPtr made = contents(type);
  open_.pop_back();
  // One that stops at something around it would go on elsewhere.
  if (reaches_ >= own && !is_cut_) made_[type] = {made, before - left_};
  else outer_reach = std::min(outer_reach, reaches_);
  reaches_ = outer_reach;
  return made;
}

DataPtr Schemas::of_declaration(const Type* structure) {
  left_ = kMostInDeclaration;
  is_cut_ = false;
  return write(structure);
}

DataPtr Schemas::whole(const Type* type) {
  DataPtr plain = of(type);
  if (!is_cut_) return plain;
  is_shared_ = true;
  names_.clear();
  taken_.clear();
  waiting_.clear();
  Data::Dict schema = std::get<Data::Dict>(contents(type)->value);
  Data::Dict parts;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const Type* next = waiting_[i];
    DataPtr made = contents(next);
    parts.emplace_back(names_[next], std::move(made));
  }
  is_shared_ = false;
  schema.emplace_back("$defs", make_data(std::move(parts)));
  return make_data(std::move(schema));
}

DataPtr Schemas::reference(const Type* type) {
  auto [name, is_new] = names_.try_emplace(type);
  if (is_new) {
    if (waiting_.size() >= kMostShared) {
      names_.erase(name);
      return anything();
    }
    // `Box<int>` and `Box<string>` are two.
    size_t same = taken_[type->text]++;
    name->second = same == 0 ? std::string(type->text) : fmt::format("{}_{}", type->text, same + 1);
    waiting_.push_back(type);
  }
  return make_data(Data::Dict{{"$ref", make_data("#/$defs/" + name->second)}});
}

DataPtr Schemas::contents(const Type* type) {
  if (type->kind != Kind::Struct) return write(lowering_.resolve(type));
  auto fields = lowering_.fields(type);
  for (types::Field& field : fields) {
    // An instance has a nil where nothing was given.
    if (field.optional) field.type = lowering_.table().optional(field.type);
  }
  return object(fields);
}

}  // namespace harn::compile
