#include <algorithm>

#include "vm/claim.h"
#include "vm/known_type.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/remains.h"

namespace harn::vm {

namespace {

constexpr uint32_t kSmallSet = 8;  // up to this many places are searched one by one
constexpr size_t kNotFound = ~size_t{0};

uint32_t item_hash(const Value& value) {
  uint64_t wide = hash(value);
  return static_cast<uint32_t>(wide ^ (wide >> 32));
}

// Items and behind them their hashes: one block.
size_t block_size(uint32_t capacity) { return capacity * (sizeof(Value) + sizeof(uint32_t)); }

using Match = SetObject::Match;

size_t find_item(const SetObject* set, const Value& value, uint32_t hash, Match match = Match::Structure) {
  auto is_wanted = [&](uint32_t item) {
    return match == Match::Structure ? same(set->items[item], value) : equal(set->items[item], value);
  };
  if (set->index.slots) {
    int64_t found = set->index.find(hash, set->hashes(), is_wanted);
    return found < 0 ? kNotFound : static_cast<size_t>(found);
  }
  for (uint32_t i = set->first; i < set->used; ++i) {
    if (set->hashes()[i] == hash && !set->is_hole(i) && is_wanted(i)) return i;
  }
  return kNotFound;
}

void give_room(SetObject* set, uint32_t capacity) {
  HashIndex index = capacity > kSmallSet ? HashIndex::create(capacity) : HashIndex{};
  set->items = static_cast<Value*>(allocate(block_size(capacity)));
  set->capacity = capacity;
  set->index = index;
}

// Adds an item that is not there yet; there must be room.
void append_item(SetObject* set, uint32_t hash) {
  set->hashes()[set->used] = hash;
  if (set->index.slots) set->index.add(hash, set->used);
  ++set->used;
  ++set->size;
}

void free_room(SetObject* set) {
  if (set->items) deallocate(set->items, block_size(set->capacity));
  set->index.destroy();
}

// Closes the holes and leaves room for as many items again, and for `more`. If it is stopped on the way, nothing has
// changed.
void rebuild(SetObject* set, size_t more = 0) {
  struct Room : SetObject {
    explicit Room(const SetObject& set) : SetObject(set) {
      size = used = first = 0;
      items = nullptr;
      index = {};
    }
    ~Room() { free_room(this); }
  } made(*set);
  give_room(&made, static_cast<uint32_t>(std::max<size_t>({4, size_t{set->size} * 2, set->size + more})));
  for (uint32_t i = set->first; i < set->used; ++i) {
    step();
    if (set->is_hole(i)) continue;
    memcpy(static_cast<void*>(made.items + made.used), set->items + i, sizeof(Value));
    append_item(&made, set->hashes()[i]);
  }
  std::swap(set->items, made.items);
  std::swap(set->capacity, made.capacity);
  std::swap(set->index, made.index);
  set->used = made.used;
  set->first = 0;
}

// A copy of a set without holes finds its items at the same places.
void copy_as_is(SetObject* copy, const SetObject* source) {
  HashIndex index = source->index.slots ? source->index.copy() : HashIndex{};
  copy->items = static_cast<Value*>(allocate(block_size(source->capacity)));
  copy->capacity = source->capacity;
  copy->index = index;
  memcpy(copy->hashes(), source->hashes(), source->used * sizeof(uint32_t));
  for (uint32_t i = 0; i < source->used; ++i) {
    step();
    new (copy->items + i) Value(source->items[i]);
    copy->size = copy->used = i + 1;
  }
}

// All items but one (or kNotFound).
Ref<SetObject> copy_without(const SetObject* source, size_t left_out) {
  note_copy(source->size);
  auto copy = new_set();
  set_known_type(copy.get(), known_type(source));
  if (source->size == 0) return copy;
  if (source->size == source->used && left_out == kNotFound) {
    copy_as_is(copy.get(), source);
    return copy;
  }
  give_room(copy.get(), source->size + source->size / 8 + 1);
  for (uint32_t i = source->first; i < source->used; ++i) {
    step();
    if (source->is_hole(i) || i == left_out) continue;
    new (copy->items + copy->used) Value(source->items[i]);
    append_item(copy.get(), source->hashes()[i]);
  }
  return copy;
}

}  // namespace

Ref<SetObject> new_set() {
  auto* set = allocate_object<SetObject>(Kind::Set);
  set->size = set->used = set->first = set->capacity = 0;
  set->items = nullptr;
  set->index = {};
  return Ref<SetObject>::adopt(set);
}

void destroy_set(SetObject* set) {
  drop_items({set, set->used, [](void* from, size_t number) { static_cast<SetObject*>(from)->items[number].~Value(); },
              [](void* object) {
                auto* emptied = static_cast<SetObject*>(object);
                free_room(emptied);
                deallocate(emptied, sizeof(SetObject));
              },
              set->first});
}

Ref<ListObject> set_items(const SetObject* set) {
  auto list = new_list(set->size);
  for (const Value& value : set->values()) {
    step();
    list->push(value);
  }
  return list;
}

bool SetObject::contains(const Value& value, Match match) const { return contains(value, item_hash(value), match); }

bool SetObject::contains(const Value& value, uint32_t hash, Match match) const {
  return size != 0 && find_item(this, value, hash, match) != kNotFound;
}

size_t SetObject::place(const Value& value, Match match) const {
  size_t found = find_item(this, value, item_hash(value), match);
  return found == kNotFound ? used : found;
}

bool SetObject::insert(Value value) {
  uint32_t hash = item_hash(value);
  return insert(std::move(value), hash);
}

bool SetObject::insert(Value value, uint32_t hash) {
  if (find_item(this, value, hash) != kNotFound) return false;
  make_room(1);
  new (items + used) Value(std::move(value));
  append_item(this, hash);
  return true;
}

void SetObject::leave_hole() {
  new (items + used) Value(Value::unset());
  hashes()[used++] = 0;
  if (size == 0) first = used;
}

void SetObject::reserve(size_t count) {
  constexpr size_t kLarge = 1024;
  if (count >= kLarge && capacity == 0) give_room(this, static_cast<uint32_t>(count));
}

void SetObject::make_room(size_t more) {
  if (used + more > capacity) rebuild(this, more);
}

void SetObject::trim() {
  if (capacity / 4 > size) rebuild(this);
}

Ref<SetObject> new_set_of_places(size_t places) {
  auto set = new_set();
  give_room(set.get(), static_cast<uint32_t>(places));
  return set;
}

static SetObject* own_set(Value& target) {
  if (!target.is_unique()) target = copy_without(target.as_set(), kNotFound);
  return target.as_set();
}

SetObject* writable_set(Value& target) {
  SetObject* set = own_set(target);
  set_known_type(set, 0);
  return set;
}

void set_insert(Value& target, Value value) {
  uint32_t hash = item_hash(value);
  if (!target.is_unique() && target.as_set()->contains(value, hash)) return;  // no copy for nothing
  SetObject* set = own_set(target);
  keep_type(set, value);
  set->insert(std::move(value), hash);
}

bool set_erase(Value& target, const Value& value, Match match) {
  SetObject* set = target.as_set();
  size_t item = find_item(set, value, item_hash(value), match);
  if (item == kNotFound) return false;
  if (!target.is_unique()) {
    target = copy_without(set, item);
    return true;
  }
  // First, while nothing has changed.
  if (set->used > 32 && set->size <= set->used / 2) {
    Value wanted = value;  // it may be this very item
    rebuild(set);
    item = find_item(set, wanted, item_hash(wanted), match);
  }
  if (set->index.slots) set->index.remove(static_cast<uint32_t>(item), set->hashes());
  Value removed = std::move(set->items[item]);  // freed last: `value` may be this very item
  set->items[item].init_raw(Kind::Unset, 0);
  --set->size;
  while (set->first < set->used && set->is_hole(set->first)) ++set->first;
  return true;
}

}  // namespace harn::vm
