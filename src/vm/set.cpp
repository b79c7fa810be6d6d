#include <algorithm>

#include "vm/claim.h"
#include "vm/known_type.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::vm {

namespace {

constexpr size_t kSmallSet = 8;  // up to this many items are searched one by one
constexpr size_t kNotFound = ~size_t{0};

size_t find_item(const SetObject* set, const Value& value) {
  if (!set->index) {
    for (size_t i = 0; i < set->size; ++i) {
      if (same(set->items[i], value)) return i;
    }
    return kNotFound;
  }
  size_t mask = set->index_size - 1;
  for (size_t at = hash(value);; ++at) {
    uint32_t number = set->index[at & mask];
    if (number == 0) return kNotFound;
    if (same(set->items[number - 1], value)) return number - 1;
  }
}

void add_to_index(SetObject* set, size_t item) {
  size_t mask = set->index_size - 1;
  size_t at = hash(set->items[item]);
  while (set->index[at & mask] != 0) ++at;
  set->index[at & mask] = static_cast<uint32_t>(item + 1);
}

void rebuild_index(SetObject* set, size_t room_for) {
  if (set->index) deallocate(set->index, set->index_size * sizeof(uint32_t));
  set->index_size = std::bit_ceil(room_for * 2);
  set->index = static_cast<uint32_t*>(allocate(set->index_size * sizeof(uint32_t)));
  memset(set->index, 0, set->index_size * sizeof(uint32_t));
  for (size_t i = 0; i < set->size; ++i) add_to_index(set, i);
}

Ref<SetObject> copy_set(const SetObject* source) {
  note_copy(source->size);
  auto copy = new_set();
  set_known_type(copy.get(), known_type(source));
  copy->capacity = source->size + source->size / 8 + 1;
  copy->items = static_cast<Value*>(allocate(copy->capacity * sizeof(Value)));
  for (const Value& value : source->values()) new (copy->items + copy->size++) Value(value);
  if (source->index) {
    copy->index_size = source->index_size;
    copy->index = static_cast<uint32_t*>(allocate(copy->index_size * sizeof(uint32_t)));
    memcpy(copy->index, source->index, copy->index_size * sizeof(uint32_t));
  }
  return copy;
}

SetObject* writable_set(Value& target) {
  if (!target.is_unique()) target = copy_set(target.as_set());
  return target.as_set();
}

// Takes an entry out of the index and moves later ones of its run up, so that searches need no
// tombstones.
void remove_from_index(SetObject* set, size_t item) {
  size_t mask = set->index_size - 1;
  size_t at = hash(set->items[item]) & mask;
  while (set->index[at] != item + 1) at = (at + 1) & mask;
  for (size_t next = (at + 1) & mask; set->index[next] != 0; next = (next + 1) & mask) {
    size_t home = hash(set->items[set->index[next] - 1]) & mask;
    if (((next - home) & mask) >= ((next - at) & mask)) {
      set->index[at] = set->index[next];
      at = next;
    }
  }
  set->index[at] = 0;
}

}  // namespace

Ref<SetObject> new_set() {
  auto* set = allocate_object<SetObject>(Kind::Set);
  set->size = set->capacity = set->index_size = 0;
  set->items = nullptr;
  set->index = nullptr;
  return Ref<SetObject>::adopt(set);
}

bool SetObject::contains(const Value& value) const { return find_item(this, value) != kNotFound; }

bool SetObject::insert(Value value) {
  if (find_item(this, value) != kNotFound) return false;
  if (size == capacity) {
    size_t wanted = std::max<size_t>(4, capacity * 2);
    items =
        static_cast<Value*>(reallocate(items, capacity * sizeof(Value), wanted * sizeof(Value)));
    capacity = wanted;
  }
  new (items + size++) Value(std::move(value));
  if (index && size * 2 <= index_size) {
    add_to_index(this, size - 1);
  } else if (size > kSmallSet) {
    rebuild_index(this, size * 2);
  }
  return true;
}

void set_insert(Value& target, Value value) {
  if (!target.is_unique() && target.as_set()->contains(value)) return;  // no copy for nothing
  SetObject* set = writable_set(target);
  keep_type(set, value);
  set->insert(std::move(value));
}

void set_erase(Value& target, const Value& value) {
  size_t item = find_item(target.as_set(), value);
  if (item == kNotFound) return;
  SetObject* set = writable_set(target);
  if (set->index) remove_from_index(set, item);
  Value removed = std::move(set->items[item]);  // freed last: `value` may be this very item
  memmove(static_cast<void*>(set->items + item), set->items + item + 1,
          (set->size - item - 1) * sizeof(Value));
  --set->size;
  if (!set->index || item == set->size) return;
  for (size_t at = 0; at < set->index_size; ++at) {
    if (set->index[at] > item) --set->index[at];
  }
}

}  // namespace harn::vm
