#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "vm/objects.h"

// The entries of a dict that has too many or too unpredictable keys for a shape. Entries stand in
// insertion order, found by open addressing; an erased entry leaves a hole until the next rebuild.
// The ascending order that programs see is computed when somebody asks for it.
namespace harn::vm {

struct StructTypeObject;

struct HashTable {
  struct Entry {
    StringObject* key;  // counted; null: erased
    Value value;
  };

  StructTypeObject* owner;  // set when the dict is a struct
  uint32_t count;           // live entries
  uint32_t used;            // entries including holes
  uint32_t capacity;
  uint32_t index_size;      // a power of two
  Entry* entries;
  uint32_t* hashes;         // by entry
  uint32_t* index;          // entry number + 1; 0: empty
  // Live entry numbers in ascending key order, or null. Atomic because readers of a dict that
  // several tasks share may all want it first.
  mutable std::atomic<uint32_t*> sorted;

  static HashTable* create(size_t expected);
  HashTable* copy() const;
  void destroy();

  Value* find(uint32_t hash, std::string_view key);
  // The key must not be there yet; takes a count on it.
  void insert(StringObject* key, Value value);
  void erase(uint32_t hash, std::string_view key);
  const Entry& sorted_entry(size_t number) const;

 private:
  int64_t find_entry(uint32_t hash, std::string_view key) const;
  void allocate_arrays(size_t capacity);
  void free_arrays();
  void rebuild(size_t capacity);
  void add_to_index(uint32_t entry);
  uint32_t* make_sorted() const;
  void forget_order();
};

}  // namespace harn::vm
