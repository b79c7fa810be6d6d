#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "vm/dict.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"

namespace harn::vm {

Shape* new_root_shape(StructTypeObject* owner);  // shape.cpp
Shape* declared_child(Shape* shape, StringObject* key);
void give_shapes_to(Shape* root, StructTypeObject* owner);

namespace {

// Shapes are never freed, so a cache that remembers one can never mistake another for it. But a type that is declared
// over and over, or copied for every task, must not make new ones each time: those of a type that is gone wait for the
// next one of the same declaration. Caches also remember the numbers of methods, so only a type that will have the same
// methods in the same order may have them.
struct Layout {
  Shape* root;
  Shape* shape;
};

class UnusedLayouts {
 public:
  void put(const StructTypeObject* type) {
    Key key{type->declaration, names_of(type)};
    std::lock_guard lock(mutex_);
    auto& waiting = layouts_[std::move(key)];
    if (waiting.size() < kMostWaiting) waiting.push_back({type->root, type->shape});
  }

  std::optional<Layout> take(uint64_t declaration, std::span<StringObject* const> fields,
                             const std::vector<StringObject*>& methods) {
    std::lock_guard lock(mutex_);
    auto found = layouts_.find({declaration, methods});
    if (found == layouts_.end() || found->second.empty()) return std::nullopt;
    // Another program in this process may have another declaration with that number.
    Layout last = found->second.back();
    if (!std::ranges::equal(fields, std::span(last.shape->keys, last.shape->count))) return std::nullopt;
    found->second.pop_back();
    return last;
  }

  static std::vector<StringObject*> names_of(const StructTypeObject* type) {
    std::vector<StringObject*> names;
    for (uint32_t i = 0; i < type->method_count; ++i) names.push_back(type->methods[i].name);
    return names;
  }

 private:
  static constexpr size_t kMostWaiting = 4096;
  using Key = std::pair<uint64_t, std::vector<StringObject*>>;  // declaration and methods
  Mutex mutex_;
  std::map<Key, std::vector<Layout>> layouts_;
};

UnusedLayouts& unused_layouts() {
  static auto* layouts = new UnusedLayouts;  // never destroyed: threads may end after main does
  return *layouts;
}

Ref<StructTypeObject> new_type(StringObject* name, StringObject* module, uint64_t declaration,
                               const bytecode::Data* schema, const bytecode::Data* instances) {
  auto* type = allocate_object<StructTypeObject>(Kind::StructType);
  type->name = name;
  type->module = module;
  type->root = type->shape = nullptr;
  type->declaration = declaration;
  type->schema = schema;
  type->instances = instances;
  type->method_count = 0;
  type->keeps_shapes = false;
  type->methods = nullptr;
  return Ref<StructTypeObject>::adopt(type);
}

// Gives the type its shapes: used ones if there are any for types with these methods.
void lay_out(StructTypeObject* type, std::span<StringObject* const> fields, const std::vector<StringObject*>& methods) {
  if (auto used = unused_layouts().take(type->declaration, fields, methods)) {
    type->root = used->root;
    type->shape = used->shape;
    give_shapes_to(type->root, type);
    return;
  }
  type->root = type->shape = new_root_shape(type);
  for (StringObject* field : fields) {
    if (type->shape->find(field) < 0) type->shape = declared_child(type->shape, field);
  }
}

}  // namespace

const Value* StructTypeObject::find_method(const StringObject* wanted) const {
  for (uint32_t i = 0; i < method_count; ++i) {
    if (same_text(methods[i].name, wanted)) return &methods[i].closure;
  }
  return nullptr;
}

Ref<StructTypeObject> new_struct_type(std::string_view name, std::span<StringObject* const> fields,
                                      uint64_t declaration, std::string_view module, const bytecode::Data* schema,
                                      const bytecode::Data* instances) {
  auto type = new_type(intern(name), intern(module), declaration, schema, instances);
  lay_out(type.get(), fields, {});
  return type;
}

Ref<StructTypeObject> twin_of(const StructTypeObject* source) {
  auto type = new_type(source->name, source->module, source->declaration, source->schema, source->instances);
  lay_out(type.get(), {source->shape->keys, source->shape->count}, UnusedLayouts::names_of(source));
  type->keeps_shapes = true;
  return type;
}

void add_method(StructTypeObject* type, StringObject* name, Value closure) {
  for (uint32_t i = 0; i < type->method_count; ++i) {
    if (type->methods[i].name == name) {
      type->methods[i].closure = std::move(closure);
      return;
    }
  }
  // A type that had no instances yet can still change to shapes that had one method more.
  bool changes_shapes = type->declaration && type->root && !type->keeps_shapes;
  if (changes_shapes) unused_layouts().put(type);
  using Method = StructTypeObject::Method;
  type->methods = static_cast<Method*>(
      reallocate(type->methods, type->method_count * sizeof(Method), (type->method_count + 1) * sizeof(Method)));
  new (type->methods + type->method_count++) Method{name, std::move(closure)};
  if (changes_shapes) lay_out(type, {type->shape->keys, type->shape->count}, UnusedLayouts::names_of(type));
}

void destroy_struct_type(Object* object) {
  auto* type = static_cast<StructTypeObject*>(object);
  if (type->declaration && type->root) unused_layouts().put(type);
  for (uint32_t i = 0; i < type->method_count; ++i) type->methods[i].closure.~Value();
  if (type->methods) deallocate(type->methods, type->method_count * sizeof(StructTypeObject::Method));
  deallocate(type, sizeof(StructTypeObject));
}

Ref<DictObject> new_struct(StructTypeObject* type) {
  // Others may make some, too.
  if (!__atomic_load_n(&type->keeps_shapes, __ATOMIC_RELAXED))
    __atomic_store_n(&type->keeps_shapes, true, __ATOMIC_RELAXED);
  return new_dict(type->shape);
}

}  // namespace harn::vm
