#pragma once

#include <atomic>

#include "vm/value.h"

// Updates in place.
//
// A value that several hold is copied before it is changed. Often the others hold it for nothing: a register that is
// not read again, or the very variable or field that the update's result is about to be stored in. An update that is
// about to copy looks for those and empties them. Nobody notices, because nobody reads them before they are written.
namespace harn::vm {

void claim_shared(const Value& held);

// Makes this the only hold on the object if it can, else changes nothing. Only for updates that take time for what they
// change, not for all there is, and that cannot fail any more when it has worked.
inline void claim(const Value& held) {
  if (held.is_heap() && refs_of(held.object()) > 1) claim_shared(held);
}

// The same for a text that `more` bytes are appended to. Without room for them it is left to be copied to where there
// is, which costs no more in the long run.
void claim_room(const Value& text, size_t more);

// How many items and 16 bytes of text were copied because several held them: for tests.
extern std::atomic<uint64_t> copied_items;
inline void note_copy(size_t items) { copied_items.fetch_add(items, std::memory_order_relaxed); }

}  // namespace harn::vm
