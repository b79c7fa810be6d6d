#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "vm/error.h"
#include "vm/value.h"

// Memory of heap objects.
//
// Small blocks come from free lists, one per multiple of 16 bytes and per thread, so that making
// and dropping a string or a list costs a few instructions. A block may be freed by another thread
// than the one that made it: it then joins that thread's list. Large blocks come from malloc.
namespace harn::vm {

constexpr size_t kSmallStep = 16;
constexpr size_t kMaxSmall = 1024;

// What a request of `size` bytes really gets.
constexpr size_t rounded_size(size_t size) { return (size + kSmallStep - 1) & ~(kSmallStep - 1); }

struct FreeBlock {
  FreeBlock* next;
};
struct Pool {
  FreeBlock* free[kMaxSmall / kSmallStep + 1];
};
extern constinit thread_local Pool pool;

void* allocate_slow(size_t size);
// Bytes that this thread has ever asked for outside of its free lists: how much there may be to free (cycles.h).
extern constinit thread_local size_t slowly_allocated;

// What the program sees of C++ code that was left by an exception (to be called while it is handled): memory that
// could not be had, or something beyond the limits of its kind. Errors that it can catch.
Thrown error_of_exception();

// Says that a text or list would be larger than it may be.
[[noreturn]] void throw_too_large(const char* what);

// Never null: memory that cannot be had is std::bad_alloc, which the interpreter turns into an error of the program.
inline void* allocate(size_t size) {
#ifndef HARN_SANITIZED
  if (size <= kMaxSmall) [[likely]] {
    FreeBlock*& list = pool.free[(size + kSmallStep - 1) / kSmallStep];
    if (FreeBlock* block = list) [[likely]] {
      list = block->next;
      return block;
    }
  }
#endif
  return allocate_slow(size);
}

// `size` is what was asked for, or anything that rounds to the same.
inline void deallocate(void* block, size_t size) {
#ifndef HARN_SANITIZED
  if (size <= kMaxSmall) [[likely]] {
    FreeBlock*& list = pool.free[(size + kSmallStep - 1) / kSmallStep];
    auto* head = static_cast<FreeBlock*>(block);
    head->next = list;
    list = head;
    return;
  }
#endif
  (void)size;
  free(block);
}

// The block with a new size, its first `old_size` (or `new_size`) bytes kept; it may move.
void* reallocate(void* block, size_t old_size, size_t new_size);

// This thread uses shared objects a lot, and will give back what it holds of them: see memory.cpp.
void use_credits();
void give_back_credits();
void drop_credits();

// Memory that lives as long as the process (singletons, shapes, interned strings).
void* allocate_forever(size_t size);

// The object's memory, with its header filled in and a count of one.
template <class T>
T* allocate_object(Kind kind, size_t extra_bytes = 0) {
  auto* object = static_cast<T*>(allocate(sizeof(T) + extra_bytes));
  object->refs = 1;
  object->kind = kind;
  object->flags = 0;
  object->known_type = 0;
  return object;
}

}  // namespace harn::vm
