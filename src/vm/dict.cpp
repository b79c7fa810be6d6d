#include "vm/dict.h"

#include <algorithm>

#include "vm/claim.h"
#include "vm/known_type.h"
#include "vm/hash_table.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/pace.h"

namespace harn::vm {

namespace {

size_t block_size(size_t capacity) { return sizeof(DictObject) + capacity * sizeof(Value); }

// At least one slot: a dict that turns into a hash table keeps the table's address there.
DictObject* allocate_dict(Shape* shape, size_t capacity) {
  capacity = std::max<size_t>(capacity, 1);
  auto* dict = allocate_object<DictObject>(shape && shape->owner ? Kind::Struct : Kind::Dict, capacity * sizeof(Value));
  dict->shape = shape;
  dict->capacity = static_cast<uint32_t>(capacity);
  dict->unused = 0;
  if (shape && shape->owner) retain(shape->owner);
  return dict;
}

DictObject* copy_dict(const DictObject* source, size_t capacity) {
  note_copy(source->size());
  if (!source->shape) {
    HashTable* table = source->table()->copy();  // it may have to stop
    auto* copy = allocate_dict(nullptr, 1);
    copy->kind = source->kind;
    copy->table() = table;
    set_known_type(copy, known_type(source));
    if (copy->table()->owner) retain(copy->table()->owner);
    return copy;
  }
  auto* copy = allocate_dict(source->shape, capacity);
  for (uint32_t i = 0; i < source->shape->count; ++i) {
    new (copy->slots() + i) Value(source->slots()[i]);
  }
  set_known_type(copy, known_type(source));
  return copy;
}

void set_object(Value& target, DictObject* dict) { target.init_raw(dict->kind, reinterpret_cast<uint64_t>(dict)); }

DictObject* make_unique(Value& target) {
  if (!target.is_unique()) {
    target = Ref<DictObject>::adopt(copy_dict(target.as_dict(), target.as_dict()->capacity));
  }
  return target.as_dict();
}

// The dict turns into a hash table. It must be unique.
void use_table(DictObject* dict) {
  Shape* shape = dict->shape;
  HashTable* table = HashTable::create(size_t{shape->count} * 2);
  table->owner = shape->owner;
  for (uint32_t i = 0; i < shape->count; ++i) {
    table->insert(shape->keys[i], std::move(dict->slots()[i]));
    dict->slots()[i].~Value();
  }
  dict->shape = nullptr;
  dict->table() = table;
}

// A new key, in a dict that is a shape with `wider` as its successor.
void append_slot(Value& target, Shape* wider, Value value) {
  DictObject* dict = target.as_dict();
  uint32_t count = dict->shape->count;
  size_t wanted = count < dict->capacity ? dict->capacity : std::max<size_t>(4, dict->capacity * 2);
  if (!target.is_unique()) {
    target = Ref<DictObject>::adopt(copy_dict(dict, wanted));
    dict = target.as_dict();
  } else if (wanted != dict->capacity) {
    dict = static_cast<DictObject*>(reallocate(dict, block_size(dict->capacity), block_size(wanted)));
    dict->capacity = static_cast<uint32_t>(wanted);
    set_object(target, dict);
  }
  keep_type(dict, value);
  new (dict->slots() + count) Value(std::move(value));
  dict->shape = wider;
}

void insert_into_table(Value& target, StringObject* key, Value value) {
  DictObject* dict = make_unique(target);
  if (dict->shape) use_table(dict);
  keep_type(dict, value);
  dict->table()->insert(key, std::move(value));
}

std::string_view text_of(const StringObject* key) { return key->view(); }
std::string_view text_of(std::string_view key) { return key; }
uint32_t hash_of(const StringObject* key) { return key->hash(); }
uint32_t hash_of(std::string_view key) { return text_hash(key); }
Ref<StringObject> object_of(const StringObject* key) {
  return Ref<StringObject>::share(const_cast<StringObject*>(key));
}
Ref<StringObject> object_of(std::string_view key) { return new_string(key); }

template <class Key>
Value* find_value(const DictObject* dict, Key key) {
  if (dict->shape) {
    int slot = dict->shape->find(key);
    return slot < 0 ? nullptr : const_cast<Value*>(dict->slots() + slot);
  }
  return dict->table()->find(hash_of(key), text_of(key));
}

template <class Key>
void set_value(Value& target, Key key, Value value) {
  const DictObject* dict = target.as_dict();
  if (const Value* found = find_value(dict, key)) {
    if (!target.is_unique()) {
      make_unique(target);
      found = find_value(target.as_dict(), key);
    }
    if (!is_alike(target.as_dict(), *found, value)) keep_type(target.as_dict(), value);
    *const_cast<Value*>(found) = std::move(value);
    return;
  }
  if (dict->shape) {
    if (Shape* wider = dict->shape->with(key)) return append_slot(target, wider, std::move(value));
  }
  auto owned_key = object_of(key);
  insert_into_table(target, owned_key.get(), std::move(value));
}

// Without one of its keys, a dict has the shape that adding the others one by one leads to.
void erase_slot(Value& target, uint32_t erased) {
  DictObject* dict = target.as_dict();
  Shape* shape = dict->shape;
  if (shape->owner) {
    DictObject* unique = make_unique(target);
    use_table(unique);
    unique->table()->erase(shape->hashes[erased], shape->keys[erased]->view());
    return;
  }
  bool unique = target.is_unique();
  Value result = new_dict(shape->count - 1);
  set_known_type(result.object(), known_type(dict));
  for (uint32_t i = 0; i < shape->count; ++i) {
    if (i == erased) continue;
    Value& slot = dict->slots()[i];
    dict_set(result, shape->keys[i], unique ? std::move(slot) : slot);
  }
  target = std::move(result);
}

template <class Key>
void erase_key(Value& target, Key key) {
  DictObject* dict = target.as_dict();
  if (dict->shape) {
    int slot = dict->shape->find(key);
    if (slot >= 0) erase_slot(target, static_cast<uint32_t>(slot));
    return;
  }
  uint32_t hash = hash_of(key);
  std::string_view text = text_of(key);
  if (dict->table()->find(hash, text)) make_unique(target)->table()->erase(hash, text);
}

template <class Key>
Value* writable_slot(Value& target, Key key) {
  if (!target.is_unique()) {
    if (!find_value(target.as_dict(), key)) return nullptr;
    make_unique(target);
  }
  return find_value(target.as_dict(), key);
}

}  // namespace

void destroy_dict(DictObject* dict) {
  StructTypeObject* owner = nullptr;
  if (Shape* shape = dict->shape) {
    owner = shape->owner;
    for (uint32_t i = 0; i < shape->count; ++i) dict->slots()[i].~Value();
  } else {
    owner = dict->table()->owner;
    dict->table()->destroy();
  }
  deallocate(dict, block_size(dict->capacity));
  if (owner) release(owner);
}

size_t DictObject::size() const { return shape ? shape->count : table()->count; }

const Value* DictObject::find(const StringObject* key) const { return find_value(this, key); }
const Value* DictObject::find(std::string_view key) const { return find_value(this, key); }

DictObject::Entry DictObject::entry(size_t index) const {
  if (shape) {
    uint32_t slot = shape->order[index];
    return {shape->keys[slot], slots() + slot};
  }
  const HashTable::Entry& found = table()->sorted_entry(index);
  return {found.key, &found.value};
}

Ref<DictObject> new_dict(size_t expected_size) {
  if (expected_size > Shape::kMaxSlots) {
    auto* dict = allocate_dict(nullptr, 1);
    dict->table() = HashTable::create(expected_size);
    return Ref<DictObject>::adopt(dict);
  }
  return Ref<DictObject>::adopt(allocate_dict(empty_shape(), expected_size));
}

Ref<DictObject> new_dict(Shape* shape) {
  auto* dict = allocate_dict(shape, shape->count);
  for (uint32_t i = 0; i < shape->count; ++i) new (dict->slots() + i) Value();
  return Ref<DictObject>::adopt(dict);
}

void dict_set(Value& target, const StringObject* key, Value value) { set_value(target, key, std::move(value)); }
void dict_set(Value& target, std::string_view key, Value value) { set_value(target, key, std::move(value)); }

void dict_erase(Value& target, const StringObject* key) { erase_key(target, key); }
void dict_erase(Value& target, std::string_view key) { erase_key(target, key); }

DictObject* writable_dict(Value& target) { return make_unique(target); }

Value* dict_slot(Value& target, const StringObject* key) { return writable_slot(target, key); }
Value* dict_slot(Value& target, std::string_view key) { return writable_slot(target, key); }

// Fewer entries than this are merged within a millisecond.
static constexpr size_t kLargeMerge = 4096;

static void add_entries(Value& target, const HashTable* table) {
  for (uint32_t i = 0; i < table->used; ++i) {
    step();
    if (const StringObject* key = table->entries[i].key) dict_set(target, key, table->entries[i].value);
  }
}

// Into a new dict, which has room for all at once.
static void merge_aside(Value& target, const DictObject* source) {
  const DictObject* old = target.as_dict();
  note_copy(old->size());
  Value whole = new_dict(old->size() + source->size());
  if (old->shape) {
    for (auto [key, value] : old->entries()) dict_set(whole, key, *value);
  } else {
    add_entries(whole, old->table());
  }
  add_entries(whole, source->table());
  target = std::move(whole);
}

// Room comes first, so that nothing stops it half-way.
static void merge_in_one_go(Value& target, const DictObject* source) {
  DictObject* dict = make_unique(target);
  if (!dict->shape) dict->table()->make_room(source->size());
  if (const Shape* shape = source->shape) {
    for (uint32_t i = 0; i < shape->count; ++i) {
      dict_set(target, static_cast<const StringObject*>(shape->keys[i]), source->slots()[i]);
    }
    return;
  }
  Undisturbed in_one_go;
  add_entries(target, source->table());
}

void dict_merge(Value& target, const DictObject* source) {
  if (source->size() == 0) return;
  if (target.as_dict()->size() == 0 && target.kind() == source->kind && target.is(Kind::Dict)) {
    target = Value::share(const_cast<DictObject*>(source));
    return;
  }
  // `target` may hold the only count on `source`.
  auto keep = Ref<DictObject>::share(const_cast<DictObject*>(source));
  if (source->size() < kLargeMerge) return merge_in_one_go(target, source);
  if (target.is(Kind::Dict) && !(target.is_unique() && is_small_part(target, source)))
    return merge_aside(target, source);
  DictObject* dict = make_unique(target);
  if (dict->shape) use_table(dict);
  if (known_type(dict) != known_type(source)) set_known_type(dict, 0);
  dict->table()->merge(*source->table());
}

// When a merge in place is stopped, what it has done is undone, which takes a while, too: a large part may as well be
// merged into a copy.
bool is_small_part(const Value& target, const DictObject* source) {
  constexpr size_t kQuicklyUndone = 256 * 1024;
  size_t size = source->size();
  return size < kLargeMerge || size < target.as_dict()->size() / (size < kQuicklyUndone ? 4 : 16);
}

StructTypeObject* hashed_struct_type(const DictObject* instance) { return instance->table()->owner; }

}  // namespace harn::vm
