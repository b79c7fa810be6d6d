#include "vm/char_index.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/pace.h"

namespace harn::vm {

namespace {

size_t block_size(size_t capacity) { return sizeof(CharIndex) + capacity * sizeof(uint32_t); }

CharIndex* copy_with_room(const CharIndex* old, size_t capacity) {
  auto* index = static_cast<CharIndex*>(allocate(block_size(capacity)));
  index->older = nullptr;
  index->capacity = static_cast<uint32_t>(capacity);
  index->count = old ? old->count : 0;
  if (old) memcpy(index->offsets(), old->offsets(), old->count * sizeof(uint32_t));
  return index;
}

void extend(CharIndex* index, std::string_view text, size_t count) {
  if (index->count == 0) index->offsets()[index->count++] = 0;
  for (size_t at = index->offsets()[index->count - 1]; index->count < count;) {
    step();
    at += text::char_offset(text.substr(at), CharIndex::kStep);
    index->offsets()[index->count++] = static_cast<uint32_t>(at);
  }
}

}  // namespace

void CharIndex::destroy() {
  for (CharIndex* index = this; index;) {
    CharIndex* older = index->older;
    deallocate(index, block_size(index->capacity));
    index = older;
  }
}

const CharIndex* CharIndex::of(const StringObject& text, size_t count) {
  CharIndex** slot = text.index_slot();
  CharIndex* known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (known && known->count >= count) return known;
  size_t all = (text.chars() + kStep - 1) / kStep;
  if (refs_of(&text) > 0) {  // this task's own
    if (!known || known->capacity < all) {
      CharIndex* larger = copy_with_room(known, known ? std::max<size_t>(all, known->capacity * 2) : all);
      if (known) known->destroy();
      *slot = known = larger;
    }
    extend(known, text.view(), all);
    return known;
  }
  struct Destroy {
    void operator()(CharIndex* index) const { index->destroy(); }
  };
  std::unique_ptr<CharIndex, Destroy> whole(copy_with_room(known, all));
  extend(whole.get(), text.view(), all);
  whole->older = known;
  if (__atomic_compare_exchange_n(slot, &known, whole.get(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return whole.release();
  }
  whole->older = nullptr;  // another task was faster, with a whole one too
  return known;
}

size_t StringObject::char_offset(size_t index) const {
  size_t count = chars();
  if (index >= count) return size;
  if (count == size) return index;
  if (index < CharIndex::kStep || !has_index_slot()) return text::char_offset(view(), index);
  if (count - index < CharIndex::kStep) return text::char_offset_from_end(view(), count - index);
  size_t block = index / CharIndex::kStep;
  size_t start = CharIndex::of(*this, block + 1)->offsets()[block];
  return start + text::char_offset(view().substr(start), index % CharIndex::kStep);
}

size_t StringObject::char_number(size_t offset) const {
  size_t count = chars();
  if (count == size) return offset;
  if (offset < CharIndex::kStep || !has_index_slot()) {
    return text::count_chars(view().substr(0, offset));
  }
  size_t blocks = (count + CharIndex::kStep - 1) / CharIndex::kStep;
  const uint32_t* offsets = CharIndex::of(*this, blocks)->offsets();
  size_t block = static_cast<size_t>(std::upper_bound(offsets, offsets + blocks, offset) - offsets) - 1;
  return block * CharIndex::kStep + text::count_chars(view().substr(offsets[block], offset - offsets[block]));
}

}  // namespace harn::vm
