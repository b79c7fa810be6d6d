#include "vm/hash_index.h"

#include <bit>
#include <cstring>

#include "vm/memory.h"

namespace harn::vm {

HashIndex HashIndex::create(uint32_t capacity) {
  uint32_t size = std::bit_ceil(capacity + capacity / 2 + 1);
  auto* slots = static_cast<uint32_t*>(allocate(size * sizeof(uint32_t)));
  memset(slots, 0, size * sizeof(uint32_t));
  return {slots, size};
}

HashIndex HashIndex::copy() const {
  auto* copied = static_cast<uint32_t*>(allocate(size * sizeof(uint32_t)));
  memcpy(copied, slots, size * sizeof(uint32_t));
  return {copied, size};
}

void HashIndex::destroy() {
  if (slots) deallocate(slots, size * sizeof(uint32_t));
}

// Later entries of the run move up, so that searches need no tombstones.
void HashIndex::remove(uint32_t entry, const uint32_t* hashes) {
  uint32_t mask = size - 1;
  uint32_t at = hashes[entry] & mask;
  while (slots[at] != entry + 1) at = (at + 1) & mask;
  for (uint32_t next = (at + 1) & mask; slots[next]; next = (next + 1) & mask) {
    uint32_t home = hashes[slots[next] - 1] & mask;
    if (((next - home) & mask) >= ((next - at) & mask)) {
      slots[at] = slots[next];
      at = next;
    }
  }
  slots[at] = 0;
}

}  // namespace harn::vm
