// Parameter types at run time, with the texts the language document gives.
#include "base/text.h"
#include "vm/dict.h"
#include "vm/interpreter.h"
#include "vm/ops.h"

namespace harn::vm {

using bytecode::ParamCheck;
using bytecode::TypeCheck;
using Status = Interpreter::Status;

static bool fits(const Value& value, const TypeCheck& type);

static bool fits_items(const Value& list, const TypeCheck& type) {
  if (type.items.empty() || type.items[0]->kind == TypeCheck::Kind::Any) return true;
  size_t size = list_size(list);
  if (list.is(Kind::Range)) return size == 0 || fits(list_item(list, 0), *type.items[0]);
  for (size_t i = 0; i < size; ++i) {
    if (!fits(list.as_list()->items[i], *type.items[0])) return false;
  }
  return true;
}

static bool fits(const Value& value, const TypeCheck& type) {
  switch (type.kind) {
    case TypeCheck::Kind::Any: case TypeCheck::Kind::Interface: return true;
    // Ints and floats stand in for each other.
    case TypeCheck::Kind::Int: case TypeCheck::Kind::Float: case TypeCheck::Kind::Number:
      return value.is_number();
    case TypeCheck::Kind::String: return value.is_string();
    case TypeCheck::Kind::Bytes: return value.is(Kind::Bytes);
    case TypeCheck::Kind::Bool: return value.is_bool();
    case TypeCheck::Kind::List: return is_list_like(value) && fits_items(value, type);
    case TypeCheck::Kind::Set: {
      if (!value.is(Kind::Set)) return false;
      if (type.items.empty()) return true;
      for (const Value& item : value.as_set()->values()) {
        if (!fits(item, *type.items[0])) return false;
      }
      return true;
    }
    case TypeCheck::Kind::Dict: {
      if (!value.is(Kind::Dict) && !value.is(Kind::Struct)) return false;
      if (type.items.empty() || type.items[0]->kind == TypeCheck::Kind::Any) return true;
      for (auto [key, item] : value.as_dict()->entries()) {
        if (!fits(*item, *type.items[0])) return false;
      }
      return true;
    }
    case TypeCheck::Kind::Nil: return value.is_nil();
    case TypeCheck::Kind::Closure:
      return value.is_callable() || value.is(Kind::StructType);
    case TypeCheck::Kind::Shape: {
      if (!value.is(Kind::Dict) && !value.is(Kind::Struct)) return false;
      for (const TypeCheck::Field& field : type.fields) {
        const Value* found = value.as_dict()->find(field.name);
        if (!found || (found->is_nil() && field.optional)) {
          if (!found && !field.optional) return false;
          continue;
        }
        if (!fits(*found, *field.type)) return false;
      }
      return true;
    }
    case TypeCheck::Kind::Union:
      for (auto& item : type.items) {
        if (fits(value, *item)) return true;
      }
      return false;
    case TypeCheck::Kind::Intersection:
      for (auto& item : type.items) {
        if (!fits(value, *item)) return false;
      }
      return true;
    case TypeCheck::Kind::LiteralString: return value.is_string() && value.as_string()->view() == type.text;
    case TypeCheck::Kind::LiteralInt: return value.is_int() && value.as_int() == type.number;
    case TypeCheck::Kind::LiteralBool: return value.is_bool() && value.as_bool() == (type.number != 0);
    case TypeCheck::Kind::Struct:
      return value.is(Kind::Dict) ||
             (value.is(Kind::Struct) && struct_type(value.as_dict())->name->view() == type.text);
    case TypeCheck::Kind::Enum:
      return value.is(Kind::Enum) && value.as_enum()->type->name->view() == type.text;
  }
  return true;
}

static std::string shown(const TypeCheck& type) {
  if (type.kind == TypeCheck::Kind::LiteralString) return fmt::format("\"{}\"", type.text);
  return type.text;
}

// Names the first field that does not fit a shape; empty when all do.
static std::string shape_problem(const Value& value, const TypeCheck& type, const std::string& path) {
  if (!value.is(Kind::Dict) && !value.is(Kind::Struct)) {
    return fmt::format("parameter '{}': expected dict or struct, got {}", path, type_name(value));
  }
  for (const TypeCheck::Field& field : type.fields) {
    const Value* found = value.as_dict()->find(field.name);
    if (!found) {
      if (field.optional) continue;
      std::vector<std::string_view> names;
      for (auto [key, item] : value.as_dict()->entries()) names.push_back(key->view());
      auto close = text::close_names(field.name, names);
      std::string hint = close.empty() ? "" : fmt::format(", did you mean '{}'?", close[0]);
      return fmt::format("parameter '{}': missing field '{}' ({}){}", path, field.name, shown(*field.type), hint);
    }
    if (found->is_nil() && field.optional) continue;
    if (fits(*found, *field.type)) continue;
    if (field.type->kind == TypeCheck::Kind::Shape) {
      return shape_problem(*found, *field.type, path + "." + field.name);
    }
    return fmt::format("parameter '{}': field '{}' expected {}, got {}", path, field.name,
                       shown(*field.type), type_name(*found));
  }
  return {};
}

static const TypeCheck* failing_shape(const Value& value, const TypeCheck& type) {
  if (type.kind == TypeCheck::Kind::Shape) return &type;
  if (type.kind != TypeCheck::Kind::Intersection) return nullptr;
  for (auto& item : type.items) {
    if (!fits(value, *item)) return failing_shape(value, *item);
  }
  return nullptr;
}

Status Interpreter::check_param(const Value& value, const ParamCheck& check) {
  if (value.is(Kind::Unset)) return Status::Done;
  const Value* bad = nullptr;
  if (!check.rest) {
    if (fits(value, *check.type)) [[likely]] return Status::Done;
    bad = &value;
  } else {
    for (const Value& item : value.as_list()->values()) {
      if (!fits(item, *check.type)) bad = &item;
    }
    if (!bad) return Status::Done;
  }
  if (const TypeCheck* shape = failing_shape(*bad, *check.type)) {
    return fail(type_error("{}", shape_problem(*bad, *shape, check.parameter)));
  }
  return fail(plain_error("TypeError: parameter '{}' expected {}, got {} ({})", check.parameter,
                          shown(*check.type), type_name(*bad), display(*bad)));
}

}  // namespace harn::vm
