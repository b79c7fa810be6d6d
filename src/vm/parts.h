#pragma once

#include "vm/dict.h"
#include "vm/error.h"
#include "vm/function.h"
#include "vm/hash_table.h"
#include "vm/objects.h"

// What heap objects hold.
namespace harn::vm {

// Calls `visit` with every value the object holds directly. Not of what has state (cells, generators, iterators):
// those who copy values have their own ways with it.
template <class Visit>
void each_part(Object* object, Visit visit) {
  switch (object->kind) {
    case Kind::List:
      for (Value& item : static_cast<ListObject*>(object)->values()) visit(item);
      break;
    case Kind::Dict:
    case Kind::Struct: {
      auto* dict = static_cast<DictObject*>(object);
      if (dict->shape) {
        for (uint32_t i = 0; i < dict->shape->count; ++i) visit(dict->slots()[i]);
      } else {
        HashTable* table = dict->table();
        for (uint32_t i = 0; i < table->used; ++i) {
          if (table->entries[i].key) visit(table->entries[i].value);
        }
      }
      break;
    }
    case Kind::Set: {
      auto* set = static_cast<SetObject*>(object);
      for (size_t i = set->first; i < set->used; ++i) {
        if (!set->is_hole(i)) visit(set->items[i]);
      }
      break;
    }
    case Kind::Enum: {
      auto* variant = static_cast<EnumObject*>(object);
      for (uint32_t i = 0; i < variant->count; ++i) visit(variant->fields()[i]);
      break;
    }
    case Kind::Pair:
      visit(static_cast<PairObject*>(object)->first);
      visit(static_cast<PairObject*>(object)->second);
      break;
    case Kind::Closure: {
      auto* closure = static_cast<ClosureObject*>(object);
      for (uint32_t i = 0; i < closure->count; ++i) visit(closure->captures()[i]);
      break;
    }
    case Kind::StructType: {
      auto* type = static_cast<StructTypeObject*>(object);
      for (uint32_t i = 0; i < type->method_count; ++i) visit(type->methods[i].closure);
      break;
    }
    case Kind::Error: visit(static_cast<ErrorObject*>(object)->value); break;
    default: break;
  }
}

}  // namespace harn::vm
