#include "vm/dict.h"
#include "vm/error.h"
#include "vm/function.h"
#include "vm/handle.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/remains.h"

// How each kind of object is taken apart.
namespace harn::vm {

namespace {

void drop_values(Value* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i].~Value();
}

void free_list(void* object) {
  auto* list = static_cast<ListObject*>(object);
  if (list->items) deallocate(list->items - list->front, (size_t{list->capacity} + list->front) * sizeof(Value));
  deallocate(list, sizeof(ListObject));
}

void destroy_list(ListObject* list) {
  if (list->size <= kManyItems) [[likely]] {
    drop_values(list->items, list->size);
    return free_list(list);
  }
  drop_items({list, list->size,
              [](void* from, size_t number) { static_cast<ListObject*>(from)->items[number].~Value(); }, free_list});
}

void destroy_enum(EnumObject* object) {
  drop_values(object->fields(), object->count);
  deallocate(object, sizeof(EnumObject) + object->count * sizeof(Value));
}

void destroy_error(ErrorObject* error) {
  error->value.~Value();
  delete error->trace;
  delete error->facts;
  deallocate(error, sizeof(ErrorObject));
}

template <class T>
void destroy_plain(Object* object) {
  static_cast<T*>(object)->~T();
  deallocate(object, sizeof(T));
}

}  // namespace

void destroy_now(Object* object) {
  switch (object->kind) {
    case Kind::String: return destroy_string(static_cast<StringObject*>(object));
    case Kind::Bytes: {
      auto* bytes = static_cast<BytesObject*>(object);
      return deallocate(bytes, sizeof(BytesObject) + bytes->size);
    }
    case Kind::List: return destroy_list(static_cast<ListObject*>(object));
    case Kind::Range: return deallocate(object, sizeof(RangeObject));
    case Kind::Dict:
    case Kind::Struct: return destroy_dict(static_cast<DictObject*>(object));
    case Kind::Set: return destroy_set(static_cast<SetObject*>(object));
    case Kind::Enum: return destroy_enum(static_cast<EnumObject*>(object));
    case Kind::Pair: return destroy_plain<PairObject>(object);
    case Kind::Iter: return destroy_plain<IterObject>(object);
    case Kind::Closure: return destroy_closure(static_cast<ClosureObject*>(object));
    case Kind::Generator: return destroy_generator(static_cast<GeneratorObject*>(object));
    case Kind::Rng: return deallocate(object, sizeof(RngObject));
    case Kind::Cell: return destroy_cell(static_cast<CellObject*>(object));
    case Kind::StructType: return destroy_struct_type(object);
    case Kind::Error: return destroy_error(static_cast<ErrorObject*>(object));
    case Kind::Handle: {
      auto* handle = static_cast<HandleObject*>(object);
      return handle->type->destroy(handle);
    }
    // Enum types live as long as the process: their plain values point at them uncounted.
    case Kind::EnumType:
    // Scalars have no object.
    case Kind::Unset:
    case Kind::Nil:
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
    case Kind::Builtin:
    case Kind::Count: return;
  }
}

}  // namespace harn::vm
