#include "vm/hash_table.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "vm/memory.h"
#include "vm/pace.h"
#include "vm/remains.h"

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

struct HashTable::Order {
  uint32_t size;   // numbers there is memory for
  uint32_t first;  // entries that were first and are gone
  size_t credit;   // numbers that may still be moved before sorting again costs no more

  uint32_t* begin() { return reinterpret_cast<uint32_t*>(this + 1) + first; }
  static size_t block_size(size_t size) { return sizeof(Order) + size * sizeof(uint32_t); }

  static Order* create(uint32_t size) {
    auto* order = static_cast<Order*>(allocate(block_size(size)));
    order->size = size;
    order->first = 0;
    order->credit = size_t{size} * static_cast<size_t>(std::bit_width(size));
    return order;
  }
  void destroy() { deallocate(this, block_size(size)); }

  // Moves whichever side of the place is shorter; false when that has become too dear.
  bool erase(uint32_t* place, size_t count) {
    size_t before = place - begin();
    size_t behind = count - before - 1;
    size_t moved = std::min(before, behind);
    if (moved > credit) return false;
    credit -= moved;
    if (before < behind) {
      std::copy_backward(begin(), place, place + 1);
      ++first;
    } else {
      std::copy(place + 1, place + 1 + behind, place);
    }
    return true;
  }
};

void HashTable::allocate_arrays(size_t wanted) {
  capacity = static_cast<uint32_t>(wanted);
  entries = static_cast<Entry*>(allocate(capacity * sizeof(Entry)));
  hashes = static_cast<uint32_t*>(allocate(capacity * sizeof(uint32_t)));
  index = HashIndex::create(capacity);
}

void HashTable::free_arrays() {
  if (entries) deallocate(entries, capacity * sizeof(Entry));
  if (hashes) deallocate(hashes, capacity * sizeof(uint32_t));
  index.destroy();
}

HashTable* HashTable::create(size_t expected) {
  auto* table = static_cast<HashTable*>(allocate(sizeof(HashTable)));
  table->owner = nullptr;
  table->count = table->used = 0;
  new (&table->sorted) std::atomic<Order*>(nullptr);
  table->allocate_arrays(std::max<size_t>(expected, 8));
  return table;
}

HashTable* HashTable::copy() const {
  struct Destroy {
    void operator()(HashTable* table) const { table->destroy(); }
  };
  std::unique_ptr<HashTable, Destroy> result(create(count + count / 8));
  result->owner = owner;
  for (uint32_t i = 0; i < used; ++i) {
    step();
    if (!entries[i].key) continue;
    retain(entries[i].key);
    new (&result->entries[result->used]) Entry{entries[i].key, entries[i].value};
    result->hashes[result->used] = hashes[i];
    result->index.add(hashes[i], result->used++);
  }
  result->count = count;
  return result.release();
}

void HashTable::destroy() {
  forget_order();
  drop_items({this, used,
              [](void* table, size_t number) {
                Entry& entry = static_cast<HashTable*>(table)->entries[number];
                if (!entry.key) return;
                release(entry.key);
                entry.value.~Value();
              },
              [](void* object) {
                auto* table = static_cast<HashTable*>(object);
                table->free_arrays();
                deallocate(table, sizeof(HashTable));
              }});
}

int64_t HashTable::find_entry(uint32_t hash, std::string_view key) const {
  return index.find(hash, hashes, [&](uint32_t entry) { return entries[entry].key->view() == key; });
}

Value* HashTable::find(uint32_t hash, std::string_view key) {
  int64_t entry = find_entry(hash, key);
  return entry < 0 ? nullptr : &entries[entry].value;
}

// Fills new arrays before it gives up the old ones: if it is stopped on the way, nothing has changed.
void HashTable::rebuild(size_t new_capacity) {
  struct Arrays : HashTable {
    Arrays() : HashTable{} {}
    ~Arrays() { free_arrays(); }
  } made;
  made.allocate_arrays(new_capacity);
  for (uint32_t i = 0; i < used; ++i) {
    step();
    if (!entries[i].key) continue;
    memcpy(static_cast<void*>(&made.entries[made.used]), &entries[i], sizeof(Entry));
    made.hashes[made.used] = hashes[i];
    made.index.add(hashes[i], made.used);
    ++made.used;
  }
  std::swap(entries, made.entries);
  std::swap(hashes, made.hashes);
  std::swap(index, made.index);
  std::swap(capacity, made.capacity);
  used = made.used;
}

void HashTable::make_room(size_t more) {
  if (used + more <= capacity) return;
  forget_order();
  rebuild(std::max({size_t{8}, size_t{count} * 2, count + more}));
}

void HashTable::insert(StringObject* key, Value value) {
  make_room(1);
  retain(key);
  new (&entries[used]) Entry{key, std::move(value)};
  hashes[used] = key->hash();
  index.add(hashes[used], used);
  ++used;
  ++count;
  forget_order();
}

void HashTable::erase(uint32_t hash, std::string_view key) {
  int64_t entry = find_entry(hash, key);
  if (entry < 0) return;
  // First, while nothing has changed.
  if ((count - 1) * 4 < used && used > 32) {
    forget_order();
    rebuild(std::max<size_t>(8, size_t{count} * 2));
    entry = find_entry(hash, key);
  }
  take_from_order(key);
  index.remove(static_cast<uint32_t>(entry), hashes);
  StringObject* old_key = std::exchange(entries[entry].key, nullptr);
  Value old_value = std::move(entries[entry].value);
  --count;
  release(old_key);  // last: `key` may be a view of it
}

// Takes back what was done if it does not come to its end.
class HashTable::Merging {
 public:
  explicit Merging(HashTable& table) : table_(table), first_new_(table.used) {}
  ~Merging() {
    if (!is_done) take_back();
  }
  void add(StringObject* key, const Value& value) {
    int64_t entry = table_.find_entry(key->hash(), key->view());
    if (entry < 0) return table_.insert(key, value);
    auto& old = replaced_.emplace_back(static_cast<uint32_t>(entry), value).second;
    std::swap(table_.entries[entry].value, old);
  }
  bool is_done = false;

 private:
  void take_back() {
    while (table_.used > first_new_) {
      Entry& last = table_.entries[--table_.used];
      table_.index.remove(table_.used, table_.hashes);
      --table_.count;
      release(last.key);
      last.value.~Value();
    }
    for (; !replaced_.empty(); replaced_.pop_back()) {
      auto& [entry, value] = replaced_.back();
      std::swap(table_.entries[entry].value, value);
    }
  }

  HashTable& table_;
  const uint32_t first_new_;
  std::vector<std::pair<uint32_t, Value>> replaced_;
};

void HashTable::merge(const HashTable& source) {
  make_room(source.count);
  Merging merging(*this);
  for (uint32_t i = 0; i < source.used; ++i) {
    step();
    if (source.entries[i].key) merging.add(source.entries[i].key, source.entries[i].value);
  }
  merging.is_done = true;
}

// Taking entries out in a loop over the keys must not sort again for each.
void HashTable::take_from_order(std::string_view key) {
  Order* order = sorted.load(std::memory_order_relaxed);
  if (!order) return;
  uint32_t* place =
      std::lower_bound(order->begin(), order->begin() + count, key,
                       [&](uint32_t number, std::string_view text) { return entries[number].key->view() < text; });
  if (!order->erase(place, count)) forget_order();
}

HashTable::Order* HashTable::make_sorted() const {
  std::vector<SortKey> keys;
  keys.reserve(count);
  for (uint32_t i = 0; i < used; ++i) {
    step();
    if (entries[i].key) keys.push_back({prefix_of(entries[i].key->view()), i});
  }
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    step();
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return entries[a.entry].key->view() < entries[b.entry].key->view();
  });
  Order* order = Order::create(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) order->begin()[i] = keys[i].entry;
  return order;
}

const HashTable::Entry& HashTable::sorted_entry(size_t number) const {
  Order* order = sorted.load(std::memory_order_acquire);
  if (!order) [[unlikely]] {
    Order* made = make_sorted();
    if (sorted.compare_exchange_strong(order, made, std::memory_order_acq_rel)) {
      order = made;
    } else {
      made->destroy();
    }
  }
  return entries[order->begin()[number]];
}

void HashTable::forget_order() {
  if (Order* order = sorted.load(std::memory_order_relaxed)) {
    order->destroy();
    sorted.store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace harn::vm
