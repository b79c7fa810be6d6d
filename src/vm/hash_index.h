#pragma once

#include <cstdint>

// The search structure of dicts and sets: open addressing over entry numbers.
//
// The entries stand elsewhere, in the order they came in, with their hashes beside them
// (`hashes[entry]`). Nothing is ever hashed twice, and a removed entry leaves no trace in the index:
// what comes and goes does not make later searches longer.
//
//   int64_t at = index.find(hash, hashes, [&](uint32_t entry) { return keys[entry] == key; });
namespace harn::vm {

struct HashIndex {
  uint32_t* slots;  // entry number + 1; 0: empty. Null: there is no index
  uint32_t size;    // a power of two

  // An empty index with room for that many entries.
  static HashIndex create(uint32_t capacity);
  HashIndex copy() const;
  void destroy();

  void add(uint32_t hash, uint32_t entry) {
    uint32_t at = hash & (size - 1);
    while (slots[at]) at = (at + 1) & (size - 1);
    slots[at] = entry + 1;
  }
  void remove(uint32_t entry, const uint32_t* hashes);

  // The entry with this hash that is the wanted one, or -1.
  template <class IsWanted>
  int64_t find(uint32_t hash, const uint32_t* hashes, IsWanted is_wanted) const {
    for (uint32_t at = hash & (size - 1); slots[at]; at = (at + 1) & (size - 1)) {
      uint32_t entry = slots[at] - 1;
      if (hashes[entry] == hash && is_wanted(entry)) return entry;
    }
    return -1;
  }
};

}  // namespace harn::vm
