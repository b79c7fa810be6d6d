#include <algorithm>
#include <mutex>

#include "base/mutex.h"
#include "vm/dict.h"
#include "vm/memory.h"

// Shapes form a tree: each way to add a key to a shape is a child. The tree only grows and is
// shared by all threads; looking up a child takes no lock, adding one does.
namespace harn::vm {

struct Shape::Children {
  uint32_t count;
  uint32_t size;  // a power of two
  std::atomic<Shape*>* slots() { return reinterpret_cast<std::atomic<Shape*>*>(this + 1); }
};

namespace {

constexpr uint32_t kMaxShapes = 65536;         // in all
constexpr uint32_t kMaxUnnamedShapes = 32768;  // of these, from keys no program text mentions

Mutex tree_mutex;
std::atomic<uint32_t> shape_count = 0;

Shape* allocate_shape(uint32_t count, StructTypeObject* owner) {
  auto* shape = new (allocate_forever(sizeof(Shape))) Shape;
  shape->count = count;
  shape->owner = owner;
  shape->index = nullptr;
  shape->index_mask = 0;
  size_t bytes = count * (sizeof(StringObject*) + sizeof(uint32_t) + sizeof(uint16_t));
  char* arrays = static_cast<char*>(allocate_forever(std::max<size_t>(bytes, 1)));
  shape->keys = reinterpret_cast<StringObject**>(arrays);
  shape->hashes = reinterpret_cast<uint32_t*>(shape->keys + count);
  shape->order = reinterpret_cast<uint16_t*>(shape->hashes + count);
  return shape;
}

void build_index(Shape* shape) {
  uint32_t size = std::bit_ceil(shape->count * 2);
  shape->index_mask = size - 1;
  auto* index = static_cast<uint8_t*>(allocate_forever(size));
  memset(index, 0, size);
  for (uint32_t slot = 0; slot < shape->count; ++slot) {
    uint32_t at = shape->hashes[slot] & shape->index_mask;
    while (index[at]) at = (at + 1) & shape->index_mask;
    index[at] = static_cast<uint8_t>(slot + 1);
  }
  shape->index = index;
}

Shape* make_child(const Shape* parent, StringObject* key) {
  uint32_t count = parent->count;
  Shape* shape = allocate_shape(count + 1, parent->owner);
  std::copy_n(parent->keys, count, shape->keys);
  std::copy_n(parent->hashes, count, shape->hashes);
  shape->keys[count] = key;
  shape->hashes[count] = key->hash();
  const uint16_t* begin = parent->order;
  const uint16_t* end = begin + count;
  const uint16_t* place = std::lower_bound(
      begin, end, key->view(), [&](uint16_t slot, std::string_view text) { return parent->keys[slot]->view() < text; });
  uint16_t* to = std::copy(begin, place, shape->order);
  *to++ = static_cast<uint16_t>(count);
  std::copy(place, end, to);
  // A struct may declare more fields than a byte can number; those few are searched one by one.
  if (shape->count > Shape::kScanned && shape->count < 255) build_index(shape);
  shape_count.fetch_add(1, std::memory_order_relaxed);
  return shape;
}

StringObject* last_key(const Shape* shape) { return shape->keys[shape->count - 1]; }

Shape* find_child(Shape::Children* children, const StringObject* interned) {
  if (!children) return nullptr;
  for (uint32_t at = interned->hash();; ++at) {
    Shape* child = children->slots()[at & (children->size - 1)].load(std::memory_order_acquire);
    if (!child || last_key(child) == interned) return child;
  }
}

void place_child(Shape::Children* children, Shape* child) {
  for (uint32_t at = last_key(child)->hash();; ++at) {
    auto& slot = children->slots()[at & (children->size - 1)];
    if (slot.load(std::memory_order_relaxed)) continue;
    slot.store(child, std::memory_order_release);
    ++children->count;
    return;
  }
}

// A full table is replaced; readers of the old one merely take the lock and look again.
Shape::Children* with_room(Shape* shape) {
  Shape::Children* old = shape->children.load(std::memory_order_relaxed);
  if (old && (old->count + 1) * 2 <= old->size) return old;
  uint32_t size = old ? old->size * 2 : 4;
  size_t bytes = sizeof(Shape::Children) + size * sizeof(std::atomic<Shape*>);
  auto* children = static_cast<Shape::Children*>(allocate_forever(bytes));
  memset(static_cast<void*>(children), 0, bytes);
  children->size = size;
  for (uint32_t i = 0; old && i < old->size; ++i) {
    if (Shape* child = old->slots()[i].load(std::memory_order_relaxed)) place_child(children, child);
  }
  shape->children.store(children, std::memory_order_release);
  return children;
}

// Unpredictable keys must not grow the tree for ever. Struct layouts come from the program and are
// always allowed.
bool may_grow(const Shape* shape, bool is_named) {
  uint32_t all = shape_count.load(std::memory_order_relaxed);
  Shape::Children* children = shape->children.load(std::memory_order_relaxed);
  uint32_t siblings = children ? children->count : 0;
  if (is_named) return all < kMaxShapes && siblings < Shape::kMaxNamedChildren;
  return all < kMaxUnnamedShapes && siblings < Shape::kMaxChildren;
}

Shape* extend(Shape* shape, StringObject* interned, std::string_view text) {
  if (shape->count >= Shape::kMaxSlots) return nullptr;
  if (!interned && shape->count >= Shape::kMaxUnnamedSlots) return nullptr;
  std::lock_guard lock(tree_mutex);
  if (!may_grow(shape, interned != nullptr)) return nullptr;
  if (!interned) interned = intern(text);
  if (Shape* child = find_child(shape->children.load(std::memory_order_relaxed), interned)) return child;
  Shape* child = make_child(shape, interned);
  place_child(with_room(shape), child);
  return child;
}

int find_interned_slot(const Shape* shape, const StringObject* key) {
  if (!shape->index) {
    for (uint32_t slot = 0; slot < shape->count; ++slot) {
      if (shape->keys[slot] == key) return static_cast<int>(slot);
    }
    return -1;
  }
  for (uint32_t at = key->hash();; ++at) {
    uint8_t entry = shape->index[at & shape->index_mask];
    if (entry == 0) return -1;
    if (shape->keys[entry - 1] == key) return entry - 1;
  }
}

int find_text_slot(const Shape* shape, uint32_t hash, std::string_view text) {
  auto matches = [&](uint32_t slot) { return shape->hashes[slot] == hash && shape->keys[slot]->view() == text; };
  if (!shape->index) {
    for (uint32_t slot = 0; slot < shape->count; ++slot) {
      if (matches(slot)) return static_cast<int>(slot);
    }
    return -1;
  }
  for (uint32_t at = hash;; ++at) {
    uint8_t entry = shape->index[at & shape->index_mask];
    if (entry == 0) return -1;
    if (matches(entry - 1u)) return entry - 1;
  }
}

}  // namespace

int Shape::find(const StringObject* key) const {
  if (key->flags & StringObject::kInterned) return find_interned_slot(this, key);
  if (count == 0) return -1;
  return find_text_slot(this, key->hash(), key->view());
}

int Shape::find(std::string_view key) const {
  if (count == 0) return -1;
  return find_text_slot(this, text_hash(key), key);
}

Shape* Shape::with(const StringObject* key) {
  StringObject* interned = find_interned(key);
  if (interned) {
    if (Shape* child = find_child(children.load(std::memory_order_acquire), interned)) return child;
  }
  return extend(this, interned, key->view());
}

Shape* Shape::with(std::string_view key) {
  StringObject* interned = find_interned(key);
  if (interned) {
    if (Shape* child = find_child(children.load(std::memory_order_acquire), interned)) return child;
  }
  return extend(this, interned, key);
}

Shape* empty_shape() {
  static Shape* const shape = allocate_shape(0, nullptr);
  return shape;
}

Shape* new_root_shape(StructTypeObject* owner) { return allocate_shape(0, owner); }

static void set_owner(Shape* shape, StructTypeObject* owner) {
  shape->owner = owner;
  Shape::Children* children = shape->children.load(std::memory_order_relaxed);
  for (uint32_t i = 0; children && i < children->size; ++i) {
    if (Shape* child = children->slots()[i].load(std::memory_order_relaxed)) set_owner(child, owner);
  }
}

// All shapes below a root that no instance has any more.
void give_shapes_to(Shape* root, StructTypeObject* owner) {
  std::lock_guard lock(tree_mutex);
  set_owner(root, owner);
}

// The layout of a declared struct: any number of fields up to what the slots can number.
Shape* declared_child(Shape* shape, StringObject* key) {
  std::lock_guard lock(tree_mutex);
  if (Shape* child = find_child(shape->children.load(std::memory_order_relaxed), key)) return child;
  Shape* child = make_child(shape, key);
  place_child(with_room(shape), child);
  return child;
}

}  // namespace harn::vm
