#include "vm/dict.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"

namespace harn::vm {

Shape* new_root_shape(StructTypeObject* owner);            // shape.cpp
Shape* declared_child(Shape* shape, StringObject* key);

const Value* StructTypeObject::find_method(const StringObject* wanted) const {
  for (uint32_t i = 0; i < method_count; ++i) {
    if (same_text(methods[i].name, wanted)) return &methods[i].closure;
  }
  return nullptr;
}

// Shapes are never freed, so a cache that remembers one can never mistake another for it.
Ref<StructTypeObject> new_struct_type(std::string_view name,
                                      std::span<StringObject* const> fields, uint64_t declaration) {
  auto* type = allocate_object<StructTypeObject>(Kind::StructType);
  type->name = intern(name);
  type->root = type->shape = new_root_shape(type);
  for (StringObject* field : fields) {
    if (type->shape->find(field) < 0) type->shape = declared_child(type->shape, field);
  }
  type->declaration = declaration;
  type->method_count = 0;
  type->methods = nullptr;
  return Ref<StructTypeObject>::adopt(type);
}

void add_method(StructTypeObject* type, StringObject* name, Value closure) {
  for (uint32_t i = 0; i < type->method_count; ++i) {
    if (type->methods[i].name == name) {
      type->methods[i].closure = std::move(closure);
      return;
    }
  }
  using Method = StructTypeObject::Method;
  type->methods =
      static_cast<Method*>(reallocate(type->methods, type->method_count * sizeof(Method),
                                      (type->method_count + 1) * sizeof(Method)));
  new (type->methods + type->method_count++) Method{name, std::move(closure)};
}

void destroy_struct_type(Object* object) {
  auto* type = static_cast<StructTypeObject*>(object);
  for (uint32_t i = 0; i < type->method_count; ++i) type->methods[i].closure.~Value();
  if (type->methods)
    deallocate(type->methods, type->method_count * sizeof(StructTypeObject::Method));
  deallocate(type, sizeof(StructTypeObject));
}

Ref<DictObject> new_struct(StructTypeObject* type) { return new_dict(type->shape); }

}  // namespace harn::vm
