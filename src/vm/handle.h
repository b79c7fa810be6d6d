#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "vm/memory.h"
#include "vm/value.h"

// Handles: values that stand for something with an identity and a state that several tasks may use
// (tasks, channels, atomics, permits). They are the only values that tasks share instead of copy, so
// each of them guards its own state.
namespace harn::vm {

struct HandleObject;

// What there is to know about one kind of handle: one constant per kind.
struct HandleType {
  std::string_view name;                  // what type_of answers
  void (*destroy)(HandleObject* handle);  // releases what it holds and frees it
  void (*display)(std::string& out, const HandleObject* handle);
  void (*drop)(HandleObject* handle) = nullptr;  // drop(handle), the end of an owned<T> variable
  // `==` of two different handles of this type; without it they are not equal.
  bool (*equal)(const HandleObject* a, const HandleObject* b) = nullptr;
  void (*empty)(HandleObject* handle) = nullptr;  // lets go of the values in it: see holders.h
};

struct HandleObject : Object {
  const HandleType* type;
};

// A new handle of type T, which derives from HandleObject. Counted atomically from the start.
template <class T>
Ref<T> new_handle(const HandleType& type) {
  static_assert(!std::is_polymorphic_v<T>, "the header must come first");
  auto* handle = new (allocate(sizeof(T))) T;
  handle->refs = -1;
  handle->kind = Kind::Handle;
  handle->flags = 0;
  handle->known_type = 0;
  handle->type = &type;
  return Ref<T>::adopt(handle);
}

// For HandleType::destroy.
template <class T>
void destroy_handle(HandleObject* handle) {
  static_cast<T*>(handle)->~T();
  deallocate(handle, sizeof(T));
}

// The value as a handle of this type, or null.
template <class T>
T* as_handle(const Value& value, const HandleType& type) {
  if (!value.is(Kind::Handle)) return nullptr;
  auto* handle = value.as<HandleObject>();
  return handle->type == &type ? static_cast<T*>(handle) : nullptr;
}

// `drop(value)` and the end of an owned<T> variable; nothing happens to other values.
inline void drop_value(const Value& value) {
  if (!value.is(Kind::Handle)) return;
  auto* handle = value.as<HandleObject>();
  if (handle->type->drop) handle->type->drop(handle);
}

}  // namespace harn::vm
