#include <algorithm>

#include "vm/claim.h"
#include "vm/known_type.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/pace.h"

namespace harn::vm {

namespace {

// The places in front are used before more are asked for, when there are enough of them to pay for the move.
bool move_to_start(ListObject& list, size_t at_least) {
  if (list.front < list.size / 2 || at_least > size_t{list.capacity} + list.front) return false;
  Value* start = list.items - list.front;
  memmove(static_cast<void*>(start), list.items, list.size * sizeof(Value));
  list.items = start;
  list.capacity += list.front;
  list.front = 0;
  return true;
}

void move_to_block(ListObject& list, size_t capacity) {
  auto* block = static_cast<Value*>(allocate(capacity * sizeof(Value)));
  memcpy(static_cast<void*>(block), list.items, list.size * sizeof(Value));
  deallocate(list.items - list.front, (size_t{list.capacity} + list.front) * sizeof(Value));
  list.items = block;
  list.capacity = static_cast<uint32_t>(capacity);
  list.front = 0;
}

}  // namespace

void ListObject::grow(size_t at_least) {
  if (at_least > kMaxListSize) throw_too_large("list too large");
  size_t wanted = std::max({at_least, size_t{capacity} + capacity / 2, size_t{4}});
  if (front > 0 && move_to_start(*this, at_least)) return;
  if (front > 0) {
    move_to_block(*this, wanted);
  } else {
    items = static_cast<Value*>(reallocate(items, capacity * sizeof(Value), wanted * sizeof(Value)));
    capacity = static_cast<uint32_t>(wanted);
  }
}

void ListObject::keep(size_t from, size_t to) {
  for (size_t i = to; i < size; ++i) items[i].~Value();
  for (size_t i = 0; i < from; ++i) items[i].~Value();
  size = static_cast<uint32_t>(to - from);
  items += from;
  front += static_cast<uint32_t>(from);
  capacity -= static_cast<uint32_t>(from);
  // A queue that was long once gives its memory back.
  if (front / 4 > size + 16) move_to_block(*this, size + size / 2 + 4);
}

Ref<ListObject> new_list(size_t capacity) {
  if (capacity > 2 * kMaxListSize) throw_too_large("list too large");
  auto* items = capacity ? static_cast<Value*>(allocate(capacity * sizeof(Value))) : nullptr;
  auto* list = allocate_object<ListObject>(Kind::List);
  list->size = 0;
  list->capacity = static_cast<uint32_t>(capacity);
  list->items = items;
  list->front = 0;
  return Ref<ListObject>::adopt(list);
}

Ref<ListObject> new_list(std::span<const Value> values) {
  auto list = new_list(values.size());
  for (const Value& value : values) {
    step();
    new (list->items + list->size++) Value(value);
  }
  return list;
}

Ref<RangeObject> new_range(int64_t start, int64_t count) {
  auto* range = allocate_object<RangeObject>(Kind::Range);
  range->start = start;
  range->count = count;
  return Ref<RangeObject>::adopt(range);
}

size_t list_size(const Value& list) {
  return list.is(Kind::Range) ? static_cast<size_t>(list.as_range()->size()) : list.as_list()->size;
}

Value list_item(const Value& list, size_t index) {
  if (list.is(Kind::Range)) {
    return Value::integer(list.as_range()->item(static_cast<int64_t>(index)));
  }
  return list.as_list()->items[index];
}

Ref<ListObject> part_of_range(const RangeObject* range, size_t from, size_t to) {
  auto result = new_list(to - from);
  for (size_t i = from; i < to; ++i) {
    step();
    new (result->items + result->size++) Value(Value::integer(range->item(static_cast<int64_t>(i))));
  }
  return result;
}

Ref<ListObject> to_list_object(const Value& list) {
  if (list.is(Kind::List)) return Ref<ListObject>::share(list.as_list());
  return part_of_range(list.as_range(), 0, list_size(list));
}

ListObject* own_list(Value& target) {
  if (target.is(Kind::Range)) {
    target = to_list_object(target);
  } else if (!target.is_unique()) {
    // Leave some room: a copy is made in order to change it, and most changes add something.
    const ListObject* source = target.as_list();
    note_copy(source->size);
    auto copy = new_list(source->size + source->size / 8 + 1);
    for (const Value& value : source->values()) {
      step();
      new (copy->items + copy->size++) Value(value);
    }
    set_known_type(copy.get(), known_type(source));
    target = std::move(copy);
  }
  return target.as_list();
}

ListObject* writable_list(Value& target) {
  ListObject* list = own_list(target);
  set_known_type(list, 0);
  return list;
}

Ref<PairObject> new_pair(Value first, Value second) {
  auto* pair = allocate_object<PairObject>(Kind::Pair);
  new (&pair->first) Value(std::move(first));
  new (&pair->second) Value(std::move(second));
  return Ref<PairObject>::adopt(pair);
}

Ref<IterObject> new_iter(Value source) {
  auto* iter = allocate_object<IterObject>(Kind::Iter);
  new (&iter->source) Value(std::move(source));
  iter->position = 0;
  iter->exhausted = false;
  return Ref<IterObject>::adopt(iter);
}

Ref<RngObject> new_rng(uint64_t seed) {
  auto* rng = allocate_object<RngObject>(Kind::Rng);
  // splitmix64, as the authors of xoshiro advise for filling its state.
  for (uint64_t& word : rng->state) {
    seed += 0x9E3779B97F4A7C15ull;
    uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    word = mixed ^ (mixed >> 31);
  }
  return Ref<RngObject>::adopt(rng);
}

}  // namespace harn::vm
