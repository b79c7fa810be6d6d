#include "vm/hash_table.h"

#include <algorithm>
#include <bit>

#include "vm/memory.h"

namespace harn::vm {

namespace {

// Compares the first eight bytes as one number before it looks at the texts.
struct SortKey {
  uint64_t prefix;
  uint32_t entry;
};

uint64_t prefix_of(std::string_view text) {
  uint64_t bytes = 0;
  memcpy(&bytes, text.data(), std::min<size_t>(8, text.size()));
  return __builtin_bswap64(bytes);
}

}  // namespace

void HashTable::allocate_arrays(size_t wanted) {
  capacity = static_cast<uint32_t>(wanted);
  index_size = std::bit_ceil(capacity + capacity / 2 + 1);
  entries = static_cast<Entry*>(allocate(capacity * sizeof(Entry)));
  hashes = static_cast<uint32_t*>(allocate(capacity * sizeof(uint32_t)));
  index = static_cast<uint32_t*>(allocate(index_size * sizeof(uint32_t)));
  memset(index, 0, index_size * sizeof(uint32_t));
}

void HashTable::free_arrays() {
  deallocate(entries, capacity * sizeof(Entry));
  deallocate(hashes, capacity * sizeof(uint32_t));
  deallocate(index, index_size * sizeof(uint32_t));
}

HashTable* HashTable::create(size_t expected) {
  auto* table = static_cast<HashTable*>(allocate(sizeof(HashTable)));
  table->owner = nullptr;
  table->count = table->used = 0;
  new (&table->sorted) std::atomic<uint32_t*>(nullptr);
  table->allocate_arrays(std::max<size_t>(expected, 8));
  return table;
}

HashTable* HashTable::copy() const {
  HashTable* result = create(count + count / 8);
  result->owner = owner;
  for (uint32_t i = 0; i < used; ++i) {
    if (!entries[i].key) continue;
    retain(entries[i].key);
    new (&result->entries[result->used]) Entry{entries[i].key, entries[i].value};
    result->hashes[result->used] = hashes[i];
    result->add_to_index(result->used++);
  }
  result->count = count;
  return result;
}

void HashTable::destroy() {
  forget_order();
  for (uint32_t i = 0; i < used; ++i) {
    if (!entries[i].key) continue;
    release(entries[i].key);
    entries[i].value.~Value();
  }
  free_arrays();
  deallocate(this, sizeof(HashTable));
}

void HashTable::add_to_index(uint32_t entry) {
  uint32_t mask = index_size - 1;
  uint32_t at = hashes[entry] & mask;
  while (index[at]) at = (at + 1) & mask;
  index[at] = entry + 1;
}

int64_t HashTable::find_entry(uint32_t hash, std::string_view key) const {
  uint32_t mask = index_size - 1;
  for (uint32_t at = hash & mask; index[at]; at = (at + 1) & mask) {
    uint32_t entry = index[at] - 1;
    if (hashes[entry] != hash || !entries[entry].key) continue;
    if (entries[entry].key->view() == key) return entry;
  }
  return -1;
}

Value* HashTable::find(uint32_t hash, std::string_view key) {
  int64_t entry = find_entry(hash, key);
  return entry < 0 ? nullptr : &entries[entry].value;
}

void HashTable::rebuild(size_t new_capacity) {
  HashTable old = {nullptr, 0, used, capacity, index_size, entries, hashes, index, {nullptr}};
  allocate_arrays(new_capacity);
  used = 0;
  for (uint32_t i = 0; i < old.used; ++i) {
    if (!old.entries[i].key) continue;
    memcpy(static_cast<void*>(&entries[used]), &old.entries[i], sizeof(Entry));
    hashes[used] = old.hashes[i];
    add_to_index(used++);
  }
  old.free_arrays();
}

void HashTable::insert(StringObject* key, Value value) {
  if (used == capacity) {
    // Entry numbers change only when there were holes; the order is dropped below anyway.
    rebuild(std::max<size_t>(8, size_t{count} * 2));
  }
  retain(key);
  new (&entries[used]) Entry{key, std::move(value)};
  hashes[used] = key->hash();
  add_to_index(used++);
  ++count;
  forget_order();
}

void HashTable::erase(uint32_t hash, std::string_view key) {
  int64_t entry = find_entry(hash, key);
  if (entry < 0) return;
  if (uint32_t* order = sorted.load(std::memory_order_relaxed)) {
    // Taking entries out in a loop over the keys must not sort again for each.
    uint32_t* place = std::lower_bound(
        order, order + count, key,
        [&](uint32_t number, std::string_view text) { return entries[number].key->view() < text; });
    std::copy(place + 1, order + count, place);
  }
  StringObject* old_key = std::exchange(entries[entry].key, nullptr);
  Value old_value = std::move(entries[entry].value);
  --count;
  if (count * 4 < used && used > 32) {
    forget_order();
    rebuild(std::max<size_t>(8, size_t{count} * 2));
  }
  release(old_key);  // last: `key` may be a view of it
}

uint32_t* HashTable::make_sorted() const {
  auto* keys = static_cast<SortKey*>(allocate(std::max<size_t>(1, count) * sizeof(SortKey)));
  uint32_t live = 0;
  for (uint32_t i = 0; i < used; ++i) {
    if (entries[i].key) keys[live++] = {prefix_of(entries[i].key->view()), i};
  }
  std::sort(keys, keys + live, [&](const SortKey& a, const SortKey& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return entries[a.entry].key->view() < entries[b.entry].key->view();
  });
  // One word more than needed holds the size, so that the block can be freed after entries have
  // gone.
  auto* order = static_cast<uint32_t*>(allocate((live + 1) * sizeof(uint32_t)));
  order[0] = live + 1;
  for (uint32_t i = 0; i < live; ++i) order[i + 1] = keys[i].entry;
  deallocate(keys, std::max<size_t>(1, count) * sizeof(SortKey));
  return order + 1;
}

const HashTable::Entry& HashTable::sorted_entry(size_t number) const {
  uint32_t* order = sorted.load(std::memory_order_acquire);
  if (!order) [[unlikely]] {
    uint32_t* made = make_sorted();
    if (sorted.compare_exchange_strong(order, made, std::memory_order_acq_rel)) {
      order = made;
    } else {
      deallocate(made - 1, made[-1] * sizeof(uint32_t));
    }
  }
  return entries[order[number]];
}

void HashTable::forget_order() {
  if (uint32_t* order = sorted.load(std::memory_order_relaxed)) {
    deallocate(order - 1, order[-1] * sizeof(uint32_t));
    sorted.store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace harn::vm
