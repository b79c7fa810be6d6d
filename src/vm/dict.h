#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "vm/objects.h"

namespace harn::bytecode {
struct Data;
}

// Dicts and structs.
//
// A small dict shares a hidden `Shape` with every dict that got the same keys in the same order.
// The shape says which key is in which slot, so code that reads `d.name` remembers (shape, slot)
// and skips the lookup. A dict with many keys, or keys nobody could predict, uses a hash table of
// its own instead. The program cannot tell the difference: keys always come in ascending byte order.
namespace harn::vm {

struct StructTypeObject;

struct Shape {
  static constexpr uint32_t kMaxSlots = 64;  // more keys than this: hash table
  // How many ways a shape may grow: by keys that are names in the program, and by others.
  static constexpr uint32_t kMaxNamedChildren = 8192;
  static constexpr uint32_t kMaxChildren = 128;
  // A dict that gets more than this many keys no program text mentions: hash table.
  static constexpr uint32_t kMaxUnnamedSlots = 16;

  uint32_t count;           // keys
  StructTypeObject* owner;  // the struct this is an instance layout of; null for dicts
  StringObject** keys;      // interned, by slot
  uint32_t* hashes;         // of the keys, by slot
  uint16_t* order;          // slots in ascending key order
  uint8_t* index;           // more than kScanned keys: open addressing over slot + 1; else null
  uint32_t index_mask;

  static constexpr uint32_t kScanned = 8;  // up to this many keys are searched one by one

  // The slot of a key, or -1.
  int find(const StringObject* key) const;
  int find(std::string_view key) const;
  // The shape with one more key, or null when the dict should use a hash table.
  Shape* with(const StringObject* key);
  Shape* with(std::string_view key);

  // Transitions: an open-addressing table keyed by interned string. Read without a lock.
  struct Children;
  std::atomic<Children*> children{nullptr};
};
Shape* empty_shape();

struct HashTable;

struct DictObject : Object {  // Kind::Dict or Kind::Struct
  Shape* shape;               // null: `table` holds the entries
  uint32_t capacity;          // slots allocated behind the object
  uint32_t unused;

  Value* slots() { return reinterpret_cast<Value*>(this + 1); }
  const Value* slots() const { return reinterpret_cast<const Value*>(this + 1); }
  HashTable*& table() { return *reinterpret_cast<HashTable**>(this + 1); }
  HashTable* table() const { return *reinterpret_cast<HashTable* const*>(this + 1); }

  size_t size() const;
  // The value of a key, or null.
  const Value* find(const StringObject* key) const;
  const Value* find(std::string_view key) const;

  struct Entry {
    StringObject* key;
    const Value* value;
  };
  // Entry number `index` in ascending key order.
  Entry entry(size_t index) const;

  // for (auto [key, value] : dict->entries()) in ascending key order
  struct Iterator {
    const DictObject* dict;
    size_t index;
    Entry operator*() const { return dict->entry(index); }
    Iterator& operator++() {
      ++index;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index != other.index; }
  };
  struct Range {
    const DictObject* dict;
    Iterator begin() const { return {dict, 0}; }
    Iterator end() const { return {dict, dict->size()}; }
  };
  Range entries() const { return {this}; }
};

Ref<DictObject> new_dict(size_t expected_size = 0);
// A dict with this shape and room for its keys, all nil.
Ref<DictObject> new_dict(Shape* shape);

// Changes the dict (or struct) in `target`, in place when nobody else holds it.
void dict_set(Value& target, const StringObject* key, Value value);
void dict_set(Value& target, std::string_view key, Value value);
// Erasing a key that is absent copies nothing.
void dict_erase(Value& target, const StringObject* key);
void dict_erase(Value& target, std::string_view key);
// The dict in `target` as an object whose values may be written to.
DictObject* writable_dict(Value& target);
// A pointer to the value of an existing key that may be written to, or null; `target` is made
// unique first.
Value* dict_slot(Value& target, const StringObject* key);
Value* dict_slot(Value& target, std::string_view key);
// Every entry of `source` into `target`; source wins. May be stopped: then nothing has changed.
void dict_merge(Value& target, const DictObject* source);
// Whether it is worth claiming the target first.
bool is_small_part(const Value& target, const DictObject* source);

// Builds a dict one entry at a time:  DictBuilder().add("key", value)....done()
class DictBuilder {
 public:
  DictBuilder& add(std::string_view key, Value value) {
    dict_set(dict_, key, std::move(value));
    return *this;
  }
  DictBuilder& add(const StringObject* key, Value value) {
    dict_set(dict_, key, std::move(value));
    return *this;
  }
  Value done() { return std::move(dict_); }

 private:
  Value dict_ = new_dict();
};

// ---- structs ----

// A struct declaration. Value of the struct's name. Its instances are of type DictObject and Kind::Struct
// whose shape is (a descendant of) `shape`. Every instance holds a count on its type.
struct StructTypeObject : Object {
  StringObject* name;               // interned
  StringObject* module;             // interned: the path of the source that declares it
  Shape* root;                      // without fields
  Shape* shape;                     // with all declared fields, in order
  uint64_t declaration;             // which one it comes from: two structs may have one name
  const bytecode::Data* schema;     // of instances, in the code, which stays; null: nobody has said
  const bytecode::Data* instances;  // which fields hold instances, as in StructShape
  uint32_t method_count;
  bool keeps_shapes;  // it has had instances, or got the shapes for methods that are yet to be added
  struct Method {
    StringObject* name;
    Value closure;
  };
  Method* methods;
  const Value* find_method(const StringObject* name) const;
};
Ref<StructTypeObject> new_struct_type(std::string_view name, std::span<StringObject* const> fields,
                                      uint64_t declaration = 0, std::string_view module = "",
                                      const bytecode::Data* schema = nullptr,
                                      const bytecode::Data* instances = nullptr);
// The JSON schema of its instances; nil where nobody has said.
Value struct_schema(const StructTypeObject* type);
Value struct_instances(const StructTypeObject* type);
// The same type for another task; the methods, in the same order, are for the caller to add.
Ref<StructTypeObject> twin_of(const StructTypeObject* type);
void add_method(StructTypeObject* type, StringObject* name, Value closure);
Ref<DictObject> new_struct(StructTypeObject* type);
StructTypeObject* hashed_struct_type(const DictObject* instance);
inline StructTypeObject* struct_type(const DictObject* instance) {
  return instance->shape ? instance->shape->owner : hashed_struct_type(instance);
}

}  // namespace harn::vm
