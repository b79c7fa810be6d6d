#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "vm/hash_index.h"
#include "vm/objects.h"

// The entries of a dict that has too many or too unpredictable keys for a shape. Entries stand in
// insertion order, found by open addressing; an erased entry leaves a hole until the next rebuild.
// The ascending order that programs see is computed when somebody asks for it, and kept while keys
// go as long as that is cheaper than sorting again.
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
  Entry* entries;
  uint32_t* hashes;  // by entry
  HashIndex index;
  // Live entry numbers in ascending key order, or null. Atomic because readers of a dict that
  // several tasks share may all want it first.
  struct Order;
  mutable std::atomic<Order*> sorted;

  static HashTable* create(size_t expected);
  HashTable* copy() const;
  void destroy();

  Value* find(uint32_t hash, std::string_view key);
  // The key must not be there yet; takes a count on it.
  void insert(StringObject* key, Value value);
  void erase(uint32_t hash, std::string_view key);
  const Entry& sorted_entry(size_t number) const;
  // So that this many more are inserted without growing. May be stopped, like whatever makes the table grow.
  void make_room(size_t more);
  // Every entry of `source`, which wins. May be stopped: then it has done nothing.
  void merge(const HashTable& source);

 private:
  class Merging;
  int64_t find_entry(uint32_t hash, std::string_view key) const;
  void allocate_arrays(size_t capacity);
  void free_arrays();
  void rebuild(size_t capacity);
  Order* make_sorted() const;
  void take_from_order(std::string_view key);
  void forget_order();
};

}  // namespace harn::vm
