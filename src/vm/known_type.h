#pragma once

#include <memory>

#include "bytecode/code.h"
#include "vm/value.h"

// Lists, dicts and sets remember a type that they were found to fit (Object::known_type), so that a typed parameter
// does not look at every item at every call. Whoever changes one in place sees to it that it still fits, or forgets:
// `keep_type` with the new item, or the functions that hand out the whole for writing, which forget.
namespace harn::vm {

// The number of the type of a collection; 0: it has none. Types that are written alike have the same one.
uint16_t type_number(const bytecode::TypeCheck& type, const bytecode::TypeCheckPtr& root);
// Whether what fits the one fits the other too.
bool implies(uint16_t known, uint16_t wanted);

// Types with literals in them: a value of the right kind may still not fit.
constexpr uint16_t kLiteralTypes = 0x8000;

inline uint16_t known_type(const Object* object) { return __atomic_load_n(&object->known_type, __ATOMIC_RELAXED); }
inline void set_known_type(Object* object, uint16_t type) {
  __atomic_store_n(&object->known_type, type, __ATOMIC_RELAXED);
}

void keep_type_of(Object* collection, const Value& item);
// The collection, which nobody else holds, has got this item.
inline void keep_type(Object* collection, const Value& item) {
  if (collection->known_type != 0) [[unlikely]]
    keep_type_of(collection, item);
}

// Whether an item that takes the place of another, or joins it, cannot change what the collection fits.
inline bool is_alike(const Object* collection, const Value& old_item, const Value& new_item) {
  if (collection->known_type == 0) [[likely]]
    return true;
  return collection->known_type < kLiteralTypes && old_item.kind() == new_item.kind() &&
         new_item.kind() <= Kind::String;
}

}  // namespace harn::vm
