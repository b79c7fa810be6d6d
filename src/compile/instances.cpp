#include "compile/instances.h"

namespace harn::compile {

using bytecode::Data;
using bytecode::DataPtr;
using types::Kind;
using types::Type;

namespace {

DataPtr part(std::string_view name, DataPtr inner) {
  return inner ? make_data(Data::Dict{{std::string(name), std::move(inner)}}) : nullptr;
}

}  // namespace

DataPtr Instances::of(const Type* type) {
  switch (type->kind) {
    case Kind::Alias: {
      const Type* meant = lowering_.resolve(type);
      return meant->kind == Kind::Alias ? nullptr : of(meant);
    }
    case Kind::Struct:
      if (!can_make(type->declaration)) return nullptr;
      return part("struct", make_data(std::string(type->text)));
    case Kind::List: return type->items.empty() ? nullptr : part("items", of(type->items[0]));
    case Kind::Dict: return type->items.size() != 2 ? nullptr : part("values", of(type->items[1]));
    case Kind::Owned: return type->items.empty() ? nullptr : of(type->items[0]);
    case Kind::Enum:
      if (!can_make(type->declaration)) return nullptr;
      return part("enum", make_data(std::string(type->text)));
    case Kind::Set:
      return part("set", part_of(type->items.empty() ? lowering_.table().named(Kind::Any) : type->items[0]));
    case Kind::Union: return of_union(type);
    default: return nullptr;
  }
}

DataPtr Instances::of_union(const Type* type) {
  DataPtr found;
  bool has_nil = false;
  size_t others = 0;
  for (const Type* member : type->items) {
    DataPtr made = of(member);
    // Which of several plain data would be cannot be told.
    if (made && found) return nullptr;
    if (made) found = std::move(made);
    else if (member->kind == Kind::Nil) has_nil = true;
    else ++others;
  }
  if (!found || (!has_nil && others == 0)) return found;
  Data::Dict with_others = std::get<Data::Dict>(found->value);
  with_others.emplace_back("others", make_data(Data::List{make_data(std::string(others > 0 ? "any" : "nil"))}));
  return make_data(std::move(with_others));
}

DataPtr Instances::fields(const Type* structure) {
  Data::Dict out;
  for (const types::Field& field : lowering_.fields(structure)) {
    if (DataPtr made = of(field.type)) out.emplace_back(std::string(field.name), std::move(made));
  }
  return out.empty() ? nullptr : make_data(std::move(out));
}

DataPtr Instances::part_of(const Type* type) {
  Data::Dict out{{"schema", schemas_.of(type)}};
  if (DataPtr made = of(type)) out.emplace_back("instances", std::move(made));
  return make_data(std::move(out));
}

DataPtr Instances::variants(const Type* enumeration) {
  Data::Dict out;
  auto payloads = lowering_.payloads(enumeration);
  for (const syntax::EnumVariant& variant : enumeration->declaration->as<syntax::Enum>().variants) {
    Data::List carried;
    for (const types::Field& field : payloads) {
      if (field.name != variant.name.text) continue;
      carried.push_back(part_of(field.type));
    }
    out.emplace_back(std::string(variant.name.text), make_data(std::move(carried)));
  }
  return make_data(std::move(out));
}

}  // namespace harn::compile
