// Parameter types and typed catches at run time, with the texts the language document gives.
#include <algorithm>

#include "base/text.h"
#include "vm/dict.h"
#include "vm/error_text.h"
#include "vm/interpreter.h"
#include "vm/known_type.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/type_check.h"

namespace harn::vm {

using bytecode::ParamCheck;
using bytecode::TypeCheck;
using Status = Interpreter::Status;

namespace {

// Values that contain themselves in type nest as deeply as memory allows. Below this depth anything
// fits, so that the C++ stack does not run out.
constexpr int kMostDepth = 400;

// One check of one value.
class Fitting {
 public:
  explicit Fitting(const bytecode::TypeCheckPtr& root) : root_(root) {}

  bool fits(const Value& value, const TypeCheck& type) {
    if (depth_ >= kMostDepth) return true;
    ++depth_;
    bool answer = fits_kind(value, type);
    --depth_;
    return answer;
  }

 private:
  bool fits_kind(const Value& value, const TypeCheck& type) {
    auto is_dict = [&] { return value.is(Kind::Dict) || value.is(Kind::Struct); };
    auto fits_item = [&](auto& item) { return fits(value, *item); };
    switch (type.kind) {
      case TypeCheck::Kind::Any: return true;
      // Ints and floats stand in for each other.
      case TypeCheck::Kind::Int:
      case TypeCheck::Kind::Float:
      case TypeCheck::Kind::Number: return value.is_number();
      case TypeCheck::Kind::String: return value.is_string();
      case TypeCheck::Kind::Bytes: return value.is(Kind::Bytes);
      case TypeCheck::Kind::Bool: return value.is_bool();
      case TypeCheck::Kind::List: return is_list_like(value) && fits_all(value, type);
      case TypeCheck::Kind::Set: return value.is(Kind::Set) && fits_all(value, type);
      case TypeCheck::Kind::Dict: return is_dict() && fits_all(value, type);
      case TypeCheck::Kind::Nil: return value.is_nil();
      case TypeCheck::Kind::Closure: return value.is_callable() || value.is(Kind::StructType);
      case TypeCheck::Kind::Shape: return is_dict() && fits_fields(value.as_dict(), type);
      case TypeCheck::Kind::Union: return std::any_of(type.items.begin(), type.items.end(), fits_item);
      case TypeCheck::Kind::Intersection: return std::all_of(type.items.begin(), type.items.end(), fits_item);
      case TypeCheck::Kind::LiteralString: return value.is_string() && value.as_string()->view() == type.text;
      case TypeCheck::Kind::LiteralInt: return value.is_int() && value.as_int() == type.number;
      case TypeCheck::Kind::LiteralBool: return value.is_bool() && value.as_bool() == (type.number != 0);
      case TypeCheck::Kind::Struct: return fits_struct(value, type);
      case TypeCheck::Kind::Enum: return fits_enum(value, type);
      case TypeCheck::Kind::Nominal: return is_named(value, type.text);
      case TypeCheck::Kind::Again: return fits(value, *type.again);
    }
    return true;
  }

  // The items of a collection, unless it is known that they fit. A struct has fields of many types, and few.
  bool fits_all(const Value& collection, const TypeCheck& type) {
    if (type.items.empty() || type.items[0]->kind == TypeCheck::Kind::Any) return true;
    bool is_remembered = !collection.is(Kind::Range) && !collection.is(Kind::Struct);
    uint16_t number = is_remembered ? type_number(type, root_) : 0;
    if (number && implies(known_type(collection.object()), number)) return true;
    if (!fits_each(collection, *type.items[0])) return false;
    if (number) set_known_type(collection.object(), number);
    return true;
  }

  bool fits_each(const Value& collection, const TypeCheck& each) {
    auto fits_one = [&](const Value& item) {
      step();
      return fits(item, each);
    };
    switch (collection.kind()) {
      case Kind::Range:
        // Ints alike; only a literal type tells them apart, and no range fits many of those.
        for (size_t i = 0; i < std::min<size_t>(list_size(collection), 1'000); ++i) {
          if (!fits(list_item(collection, i), each)) return false;
        }
        return true;
      case Kind::List: {
        auto values = collection.as_list()->values();
        return std::all_of(values.begin(), values.end(), fits_one);
      }
      case Kind::Set: {
        for (const Value& item : collection.as_set()->values()) {
          if (!fits_one(item)) return false;
        }
        return true;
      }
      default:
        for (auto [key, item] : collection.as_dict()->entries()) {
          if (!fits_one(*item)) return false;
        }
        return true;
    }
  }

  bool fits_fields(const DictObject* dict, const TypeCheck& type) {
    return std::all_of(type.fields.begin(), type.fields.end(), [&](const TypeCheck::Field& field) {
      const Value* found = dict->find(field.name);
      if (!found) return field.optional;
      return (found->is_nil() && field.optional) || fits(*found, *field.type);
    });
  }

  // An instance of the struct, or a dict with its fields.
  bool fits_struct(const Value& value, const TypeCheck& type) {
    if (value.is(Kind::Dict)) return fits_fields(value.as_dict(), type);
    if (!value.is(Kind::Struct) || struct_type(value.as_dict())->declaration != type.declaration) return false;
    return !type.number || fits_fields(value.as_dict(), type);
  }

  bool fits_enum(const Value& value, const TypeCheck& type) {
    if (!value.is(Kind::Enum)) return false;
    const EnumObject* object = value.as_enum();
    if (object->type->declaration != type.declaration) return false;
    std::string_view variant = object->type->variants[object->variant].name->view();
    size_t place = 0;
    for (const TypeCheck::Field& field : type.fields) {
      if (field.name != variant || place >= object->count) continue;
      if (!fits(object->values()[place++], *field.type)) return false;
    }
    return true;
  }

  static bool is_named(const Value& value, std::string_view name) {
    if (value.is(Kind::Enum)) return value.as_enum()->type->name->view() == name;
    if (value.is(Kind::Struct) && struct_type(value.as_dict())->name->view() == name) return true;
    auto wanted = error_kind_of_type(name);
    if (!wanted) return false;
    ErrorKind kind = kind_of_caught(value);
    return kind != ErrorKind::None && (*wanted == ErrorKind::None || *wanted == kind);
  }

  const bytecode::TypeCheckPtr& root_;
  int depth_ = 0;
};

// Names the first field that does not fit a shape; empty when all do.
std::string shape_problem(const Value& value, const TypeCheck& type, const std::string& path,
                          const bytecode::TypeCheckPtr& root) {
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
      return fmt::format("parameter '{}': missing field '{}' ({}){}", path, field.name, field.type->shown(), hint);
    }
    if (found->is_nil() && field.optional) continue;
    if (fits(*found, *field.type, root)) continue;
    if (field.type->kind == TypeCheck::Kind::Shape) {
      return shape_problem(*found, *field.type, path + "." + field.name, root);
    }
    return fmt::format("parameter '{}': field '{}' expected {}, got {}", path, field.name, field.type->shown(),
                       type_name(*found));
  }
  return {};
}

const TypeCheck* failing_shape(const Value& value, const TypeCheck& type, const bytecode::TypeCheckPtr& root) {
  if (type.kind == TypeCheck::Kind::Shape) return &type;
  if (type.kind == TypeCheck::Kind::Struct && value.is(Kind::Dict)) return &type;
  if (type.kind != TypeCheck::Kind::Intersection) return nullptr;
  for (auto& item : type.items) {
    if (!fits(value, *item, root)) return failing_shape(value, *item, root);
  }
  return nullptr;
}

}  // namespace

bool fits(const Value& value, const TypeCheck& type, const bytecode::TypeCheckPtr& root) {
  return Fitting(root).fits(value, type);
}

Status Interpreter::check_param(const Value& value, const ParamCheck& check) {
  if (value.is(Kind::Unset)) return Status::Done;
  const Value* bad = nullptr;
  if (!check.rest) {
    if (fits(value, *check.type, check.type)) [[likely]]
      return Status::Done;
    bad = &value;
  } else {
    for (const Value& item : value.as_list()->values()) {
      if (!fits(item, *check.type, check.type)) bad = &item;
    }
    if (!bad) return Status::Done;
  }
  if (const TypeCheck* shape = failing_shape(*bad, *check.type, check.type)) {
    return fail(type_error("{}", shape_problem(*bad, *shape, check.parameter, check.type)));
  }
  return fail(plain_error(ErrorKind::Type, "TypeError: parameter '{}' expected {}, got {} ({})", check.parameter,
                          check.type->shown(), type_name(*bad), shortened(*bad)));
}

bool Interpreter::is_caught(const ErrorObject& error, const bytecode::TypeCheckPtr& type) {
  return fits(caught_value(error), *type, type);
}

}  // namespace harn::vm
