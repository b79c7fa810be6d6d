#include <sys/auxv.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/mutex.h"
#include "base/text.h"
#include "vm/claim.h"
#include "vm/long_text.h"
#include "vm/error_text.h"
#include "vm/memory.h"
#include "vm/objects.h"

namespace harn::vm {

namespace {

// Different in every process, so that nobody can prepare a document whose keys all collide. Set
// before any other file's globals, because those may intern strings.
struct HashSeed {
  uint64_t value = 0;
  HashSeed() {
    auto* bytes = reinterpret_cast<const void*>(getauxval(AT_RANDOM));
    if (bytes) memcpy(&value, bytes, sizeof value);
  }
};
[[gnu::init_priority(101)]] const HashSeed hash_seed;

uint32_t hash_text(std::string_view text) {
  uint64_t wide = XXH3_64bits_withSeed(text.data(), text.size(), hash_seed.value);
  auto folded = static_cast<uint32_t>(wide ^ (wide >> 32));
  return folded ? folded : 1;  // 0 means "not computed"
}

void fill_header(StringObject* text, size_t size, size_t capacity) {
  text->size = static_cast<uint32_t>(size);
  text->capacity = static_cast<uint32_t>(capacity);
  text->hash_value = 0;
  text->chars_value = StringObject::kUnknown;
  if (text->has_index_slot()) *text->index_slot() = nullptr;
}

// The capacity that fills up the block that `size` bytes need anyway.
size_t natural_capacity(size_t size) {
  size_t capacity = rounded_size(sizeof(StringObject) + size) - sizeof(StringObject);
  if (capacity < StringObject::kIndexedCapacity) return capacity;
  constexpr size_t kOverhead = sizeof(StringObject) + sizeof(CharIndex*);
  return rounded_size(kOverhead + size) - kOverhead;
}
static_assert((kSmallStep - sizeof(StringObject)) % alignof(CharIndex*) == 0, "the place for the index is aligned");

StringObject* make_string(size_t size, size_t capacity) {
  if (capacity > kMaxStringSize + 64) throw_too_large("string too large");
  bool indexed = capacity >= StringObject::kIndexedCapacity;
  auto* text = allocate_object<StringObject>(Kind::String, capacity + (indexed ? sizeof(CharIndex*) : 0));
  fill_header(text, size, capacity);
  return text;
}

StringObject* make_immortal(std::string_view content) {
  size_t capacity = natural_capacity(content.size());
  auto* text = static_cast<StringObject*>(allocate_forever(sizeof(StringObject) + capacity + sizeof(CharIndex*)));
  text->refs = 0;
  text->kind = Kind::String;
  text->flags = StringObject::kInterned;
  text->known_type = 0;
  fill_header(text, content.size(), capacity);
  memcpy(text->data(), content.data(), content.size());
  text->hash();
  text->chars();
  return text;
}

// All interned strings. Readers take no lock: a full table is replaced by a larger copy, and slots
// only ever go from empty to filled. Old tables are kept, because somebody may still be reading
// them.
class InternTable {
 public:
  StringObject* find_or_add(std::string_view content) {
    uint32_t hash = hash_text(content);
    if (auto* found = find(table_.load(std::memory_order_acquire), hash, content)) return found;
    std::lock_guard lock(mutex_);
    Table* table = table_.load(std::memory_order_relaxed);
    if (auto* found = find(table, hash, content)) return found;
    if ((count_ + 1) * 2 > table->size) table = grow(table);
    auto* text = make_immortal(content);
    insert(table, text);
    ++count_;
    return text;
  }

  StringObject* find(std::string_view content) const {
    return find(table_.load(std::memory_order_acquire), hash_text(content), content);
  }

  StringObject* find(uint32_t hash, std::string_view content) const {
    return find(table_.load(std::memory_order_acquire), hash, content);
  }

 private:
  struct Table {
    size_t size;  // a power of two
    std::atomic<StringObject*>* slots() { return reinterpret_cast<std::atomic<StringObject*>*>(this + 1); }
  };

  static Table* new_table(size_t size) {
    size_t bytes = sizeof(Table) + size * sizeof(std::atomic<StringObject*>);
    auto* table = static_cast<Table*>(allocate_forever(bytes));
    memset(static_cast<void*>(table), 0, bytes);
    table->size = size;
    return table;
  }

  static StringObject* find(Table* table, uint32_t hash, std::string_view content) {
    for (size_t at = hash;; ++at) {
      auto* text = table->slots()[at & (table->size - 1)].load(std::memory_order_acquire);
      if (!text) return nullptr;
      if (text->hash_value == hash && text->view() == content) return text;
    }
  }

  static void insert(Table* table, StringObject* text) {
    for (size_t at = text->hash_value;; ++at) {
      auto& slot = table->slots()[at & (table->size - 1)];
      if (slot.load(std::memory_order_relaxed)) continue;
      slot.store(text, std::memory_order_release);
      return;
    }
  }

  Table* grow(Table* old) {
    Table* table = new_table(old->size * 2);
    for (size_t i = 0; i < old->size; ++i) {
      if (auto* text = old->slots()[i].load(std::memory_order_relaxed)) insert(table, text);
    }
    table_.store(table, std::memory_order_release);
    return table;
  }

  Mutex mutex_;
  std::atomic<Table*> table_{new_table(4096)};
  size_t count_ = 0;
};

InternTable& intern_table() {
  static auto* table = new InternTable;
  return *table;
}

// The empty string and the 128 strings of one ASCII character.
struct SmallStrings {
  StringObject* empty;
  StringObject* ascii[128];

  SmallStrings() : empty(intern("")) {
    for (int i = 0; i < 128; ++i) {
      char c = static_cast<char>(i);
      ascii[i] = intern({&c, 1});
    }
  }
};
const SmallStrings& small_strings() {
  static const SmallStrings strings;
  return strings;
}

StringObject* small_string(std::string_view content) {
  if (content.empty()) return small_strings().empty;
  if (content.size() == 1 && static_cast<uint8_t>(content[0]) < 128) {
    return small_strings().ascii[static_cast<uint8_t>(content[0])];
  }
  return nullptr;
}

}  // namespace

uint32_t StringObject::compute_hash() const {
  uint32_t computed = hash_text(view());
  __atomic_store_n(&hash_value, computed, __ATOMIC_RELAXED);
  return computed;
}

uint32_t StringObject::compute_chars() const {
  uint32_t computed = 0;
  for (std::string_view rest = view(); !rest.empty();) {
    computed += static_cast<uint32_t>(text::count_chars(next_piece(rest)));
  }
  __atomic_store_n(&chars_value, computed, __ATOMIC_RELAXED);
  return computed;
}

uint32_t text_hash(std::string_view content) { return hash_text(content); }

Ref<StringObject> new_string(std::string_view content) {
  if (content.size() <= 1) {
    if (auto* small = small_string(content)) return Ref<StringObject>::share(small);
  }
  auto text = new_string(content.size());
  copy_text(text->data(), content);
  return text;
}

Ref<StringObject> new_string(size_t size) {
  return Ref<StringObject>::adopt(make_string(size, natural_capacity(size)));
}

Ref<StringObject> char_string(std::string_view character) { return new_string(character); }

StringObject* intern(std::string_view content) { return intern_table().find_or_add(content); }

StringObject* find_interned(std::string_view content) { return intern_table().find(content); }

StringObject* find_interned(const StringObject* content) {
  if (content->flags & StringObject::kInterned) return const_cast<StringObject*>(content);
  return intern_table().find(content->hash(), content->view());
}

Value part_of_text(Value held, size_t from, size_t to) {
  StringObject* text = held.as_string();
  size_t start = text->char_offset(from);
  size_t end = text->char_offset(to);
  // A small part would keep the memory of the whole.
  if (start == 0 && held.is_unique() && end > 1 && end >= text->capacity / 2) {
    text->size = static_cast<uint32_t>(end);
    text->hash_value = 0;
    text->chars_value = static_cast<uint32_t>(to);
    CharIndex* index = text->has_index_slot() ? *text->index_slot() : nullptr;
    if (index) index->shorten(to);
    return held;
  }
  auto part = new_string(text->view().substr(start, end - start));
  if (refs_of(part.get()) == 1) part->chars_value = static_cast<uint32_t>(to - from);
  return part;
}

Ref<StringObject> new_string_with_facts(std::string_view content) {
  size_t capacity = natural_capacity(content.size());
  bool indexed = capacity >= StringObject::kIndexedCapacity;
  auto* text =
      allocate_object<StringObject>(Kind::String, capacity + (indexed ? sizeof(CharIndex*) : 0) + sizeof(ErrorFacts*));
  text->flags = StringObject::kErrorText;
  fill_header(text, content.size(), capacity);
  memcpy(text->data(), content.data(), content.size());
  *text->facts_slot() = nullptr;
  return Ref<StringObject>::adopt(text);
}

void destroy_string(StringObject* text) {
  if (text->is_error()) destroy_error_facts(text);
  if (text->has_index_slot() && *text->index_slot()) (*text->index_slot())->destroy();
  deallocate(text, text->block_size());
}

namespace {

// How many characters a text has with `more` behind it, when that is known without counting the
// text. Broken text may end in the middle of a character that `more` goes on with.
uint32_t chars_with(const StringObject* text, std::string_view more) {
  if (text->chars_value == StringObject::kUnknown) return StringObject::kUnknown;
  if ((more[0] & 0xC0) == 0x80) return StringObject::kUnknown;
  return text->chars_value + static_cast<uint32_t>(text::count_chars(more));
}

// Moves a string that nobody else holds to a larger block; its index goes along.
StringObject* moved_to(StringObject* text, size_t capacity) {
  CharIndex* index = text->has_index_slot() ? *text->index_slot() : nullptr;
  bool indexed = capacity >= StringObject::kIndexedCapacity;
  size_t block = sizeof(StringObject) + capacity + (indexed ? sizeof(CharIndex*) : 0);
  text = static_cast<StringObject*>(reallocate(text, text->block_size(), block));
  text->capacity = static_cast<uint32_t>(capacity);
  if (indexed) *text->index_slot() = index;
  return text;
}

}  // namespace

void append(Value& target, std::string_view more) {
  StringObject* text = target.as_string();
  size_t size = text->size + more.size();
  if (more.empty()) return;
  if (size > kMaxStringSize) throw_too_large("string too large");
  uint32_t chars = chars_with(text, more);
  // In place in one go: whoever claimed the text (claim.h) counts on it.
  if (refs_of(text) == 1 && size <= text->capacity) {
    memcpy(text->data() + text->size, more.data(), more.size());
  } else if (refs_of(text) == 1) {
    // `more` may be part of the string itself, which is about to move.
    bool inside = more.data() >= text->data() && more.data() < text->data() + text->size;
    size_t offset = inside ? more.data() - text->data() : 0;
    size_t capacity = natural_capacity(std::min(std::max(size, size_t{text->capacity} * 2), kMaxStringSize));
    text = moved_to(text, capacity);
    memcpy(text->data() + text->size, inside ? text->data() + offset : more.data(), more.size());
    target.init_raw(Kind::String, reinterpret_cast<uint64_t>(text));
  } else {
    // The second append is likely to come: leave room for it.
    note_copy(text->size / 16);
    auto copy =
        Ref<StringObject>::adopt(make_string(size, natural_capacity(std::min(size + size / 2, kMaxStringSize))));
    copy_text(copy->data(), text->view());
    copy_text(copy->data() + text->size, more);
    copy->chars_value = chars;
    target = std::move(copy);
    return;
  }
  text->size = static_cast<uint32_t>(size);
  text->hash_value = 0;
  text->chars_value = chars;
  if (chars == StringObject::kUnknown && text->has_index_slot() && *text->index_slot()) {
    (*text->index_slot())->destroy();
    *text->index_slot() = nullptr;
  }
}

bool same_text(const StringObject* a, const StringObject* b) {
  if (a == b) return true;
  if (a->size != b->size) return false;
  if (a->flags & b->flags & StringObject::kInterned) return false;
  return memcmp(a->data(), b->data(), a->size) == 0;
}

Ref<BytesObject> new_bytes(std::string_view octets) {
  auto* bytes = allocate_object<BytesObject>(Kind::Bytes, octets.size());
  bytes->size = octets.size();
  auto held = Ref<BytesObject>::adopt(bytes);
  copy_text(reinterpret_cast<char*>(bytes->data()), octets);
  return held;
}

}  // namespace harn::vm
