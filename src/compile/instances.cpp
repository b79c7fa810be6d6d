#include "compile/instances.h"

#include "compile/schemas.h"

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
      if (!known_.contains(type->declaration)) return nullptr;
      return part("struct", make_data(std::string(type->text)));
    case Kind::List: return type->items.empty() ? nullptr : part("items", of(type->items[0]));
    case Kind::Dict: return type->items.size() != 2 ? nullptr : part("values", of(type->items[1]));
    case Kind::Owned: return type->items.empty() ? nullptr : of(type->items[0]);
    case Kind::Union: {
      // Which of several structs plain data would be cannot be told.
      DataPtr found;
      for (const Type* member : type->items) {
        DataPtr made = of(member);
        if (made && found) return nullptr;
        if (made) found = std::move(made);
      }
      return found;
    }
    default: return nullptr;
  }
}

DataPtr Instances::fields(const Type* structure) {
  Data::Dict out;
  for (const types::Field& field : lowering_.fields(structure)) {
    if (DataPtr made = of(field.type)) out.emplace_back(std::string(field.name), std::move(made));
  }
  return make_data(std::move(out));
}

}  // namespace harn::compile
