#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "bytecode/code.h"
#include "vm/memory.h"
#include "vm/objects.h"

namespace harn::vm {

int EnumTypeObject::find(const StringObject* variant) const {
  for (uint32_t i = 0; i < count; ++i) {
    if (same_text(variants[i].name, variant)) return static_cast<int>(i);
  }
  return -1;
}

namespace {

// The one value of a variant without payload. It lives as long as its type.
Value make_plain(EnumTypeObject* type, uint32_t variant) {
  auto* object = static_cast<EnumObject*>(allocate_forever(sizeof(EnumObject)));
  object->refs = 0;
  object->kind = Kind::Enum;
  object->flags = 0;
  object->known_type = 0;
  object->type = type;
  object->variant = variant;
  object->count = 0;
  return Value::share(object);
}

}  // namespace

namespace {

// The types by declaration: one that is declared over and over, in a function, is made once. Another program in this
// process may have another declaration with that number.
struct EnumTypes {
  Mutex lock;
  std::unordered_map<uint64_t, std::vector<EnumTypeObject*>> types;
};

bool is_same(const EnumTypeObject* type, std::string_view name, std::span<const EnumVariantInfo> variants) {
  return type->name->view() == name &&
         std::ranges::equal(std::span(type->variants, type->count), variants, [](const auto& a, const auto& b) {
           return a.name == b.name && a.arity == b.arity && a.has_payload == b.has_payload;
         });
}

}  // namespace

EnumTypeObject* declared_enum_type(std::string_view name, std::span<const EnumVariantInfo> variants,
                                   uint64_t declaration, std::string_view module) {
  static auto* all = new EnumTypes;  // never destroyed: threads may end after main does
  std::lock_guard lock(all->lock);
  auto& known = all->types[declaration];
  for (EnumTypeObject* type : known) {
    if (is_same(type, name, variants)) return type;
  }
  known.push_back(new_enum_type(name, variants, declaration, module).detach());
  return known.back();
}

// Enum types are declarations: there are a few per program, and every value points at its type.
// They live as long as the process, so values need not count them.
Ref<EnumTypeObject> new_enum_type(std::string_view name, std::span<const EnumVariantInfo> variants,
                                  uint64_t declaration, std::string_view module) {
  auto* type = static_cast<EnumTypeObject*>(allocate_forever(sizeof(EnumTypeObject)));
  type->refs = 0;
  type->kind = Kind::EnumType;
  type->flags = 0;
  type->known_type = 0;
  type->name = intern(name);
  type->module = intern(module);
  type->declaration = declaration;
  type->count = static_cast<uint32_t>(variants.size());
  type->variants = static_cast<EnumVariantInfo*>(allocate_forever(variants.size() * sizeof(EnumVariantInfo)));
  type->plain = static_cast<Value*>(allocate_forever(variants.size() * sizeof(Value)));
  for (uint32_t i = 0; i < type->count; ++i) {
    type->variants[i] = variants[i];
    new (type->plain + i) Value(variants[i].has_payload ? Value::unset() : make_plain(type, i));
  }
  return Ref<EnumTypeObject>::adopt(type);
}

Ref<EnumObject> new_enum(EnumTypeObject* type, uint32_t variant, std::span<Value> fields) {
  auto* object = allocate_object<EnumObject>(Kind::Enum, fields.size() * sizeof(Value));
  object->type = type;
  object->variant = variant;
  object->count = static_cast<uint32_t>(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) new (object->fields() + i) Value(std::move(fields[i]));
  return Ref<EnumObject>::adopt(object);
}

EnumTypeObject* result_type() {
  static EnumTypeObject* const type = [] {
    const EnumVariantInfo variants[] = {{intern("Ok"), 1, true}, {intern("Err"), 1, true}};
    return new_enum_type("Result", variants, bytecode::kResultDeclaration).detach();
  }();
  return type;
}

Value new_ok(Value value) { return new_enum(result_type(), 0, {&value, 1}); }
Value new_err(Value value) { return new_enum(result_type(), 1, {&value, 1}); }

bool is_result(const Value& value) { return value.is(Kind::Enum) && value.as_enum()->type == result_type(); }

}  // namespace harn::vm
