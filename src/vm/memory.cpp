#include "vm/memory.h"

#include <atomic>
#include <bit>
#include <sys/mman.h>
#include <unistd.h>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/mutex.h"
#include "base/spin_lock.h"
#include "vm/dict.h"
#include "vm/error.h"
#include "vm/heap_kinds.h"
#include "vm/objects.h"
#include "vm/regions.h"
#include "vm/remains.h"

namespace harn::vm {

constinit thread_local Pool pool{};
constinit thread_local size_t slowly_allocated = 0;

namespace {

struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(size_t size) : size(size) {}
  const char* what() const noexcept override { return "out of memory"; }
  size_t size;
};

struct TooLarge : std::length_error {
  using std::length_error::length_error;
};

void* checked_malloc(size_t size) {
  if (has_remains) [[unlikely]]
    work_off_remains(64 + size / 64);
  void* block = malloc(size ? size : 1);
  if (!block && has_remains) {
    work_off_remains(SIZE_MAX);
    block = malloc(size ? size : 1);
  }
  if (!block) throw OutOfMemory(size);
  slowly_allocated += size;
  return block;
}

#ifndef HARN_SANITIZED

constexpr size_t kChunkSize = 64 * 1024;

// Free blocks that their thread does not need, for the next thread that runs short: chains of them, by
// size.
struct Orphans {
  Mutex mutex;
  std::vector<FreeBlock*> chains[std::size(Pool{}.free)];
};
Orphans& orphans() {
  static auto* instance = new Orphans;  // never destroyed: threads may end after main does
  return *instance;
}

// Hands the thread's free blocks on when the thread ends.
struct PoolGuard {
  bool active = false;
  ~PoolGuard() {
    if (gettid() == getpid()) return;  // the process ends: nobody will need them
    Orphans& shared = orphans();
    std::lock_guard lock(shared.mutex);
    for (size_t i = 0; i < std::size(pool.free); ++i) {
      if (FreeBlock* chain = std::exchange(pool.free[i], nullptr)) shared.chains[i].push_back(chain);
    }
  }
};
thread_local PoolGuard pool_guard;

struct Chunk {
  char* next = nullptr;
  char* end = nullptr;
};
constinit thread_local Chunk chunk{};

FreeBlock* take_orphans(size_t list) {
  Orphans& shared = orphans();
  std::lock_guard lock(shared.mutex);
  auto& chains = shared.chains[list];
  if (chains.empty()) return nullptr;
  FreeBlock* chain = chains.back();
  chains.pop_back();
  return chain;
}

// What one task sends and another frees on another thread must find its way back: long lists are cut.
void give_back_surplus() {
  constexpr size_t kKept = 512;
  Orphans& shared = orphans();
  for (size_t i = 0; i < std::size(pool.free); ++i) {
    FreeBlock* last = pool.free[i];
    for (size_t kept = 1; last && kept < kKept; ++kept) last = last->next;
    if (!last || !last->next) continue;
    std::lock_guard lock(shared.mutex);
    shared.chains[i].push_back(std::exchange(last->next, nullptr));
  }
}

// When nothing is left, whoever caught the error must be able to say so and to clean up. Handed out once.
void use_reserve() {
  static char reserve[128 * 1024];  // no memory until it is written to
  static std::atomic<bool> is_used{false};
  if (is_used.exchange(true)) return;
  chunk.next = reserve;
  chunk.end = reserve + sizeof reserve;
}

// One of the processor's large pages, or memory that can become one; MAP_FAILED when there is none.
void* map_large_page(size_t size) {
  void* wide = mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (wide == MAP_FAILED) return wide;
  auto start = reinterpret_cast<uintptr_t>(wide);
  uintptr_t aligned = (start + size - 1) / size * size;
  if (aligned != start) munmap(wide, aligned - start);
  munmap(reinterpret_cast<void*>(aligned + size), start + size - aligned);
  madvise(reinterpret_cast<void*>(aligned), size, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

// A program that has grown large will go on growing: its memory comes in large pages, which costs a fraction of what
// one fault for each small page does.
void new_chunk() {
  constexpr size_t kLargeChunk = 2 * 1024 * 1024;
  constexpr size_t kLargeFrom = 6 * 1024 * 1024;
  static std::atomic<size_t> total{0};
  size_t size = total.load(std::memory_order_relaxed) < kLargeFrom ? kChunkSize : kLargeChunk;
  total.fetch_add(size, std::memory_order_relaxed);
  void* block = MAP_FAILED;
  if (size == kLargeChunk) block = map_large_page(size);
  if (block == MAP_FAILED) block = malloc(size);
  if (!block) {
    use_reserve();
    throw OutOfMemory(size);
  }
  slowly_allocated += size;
  chunk.next = static_cast<char*>(block);
  chunk.end = chunk.next + size;
}

// Cuts a run of blocks from the current chunk: the first is returned, the others go on the list.
void* refill(size_t list) {
  pool_guard.active = true;
  constexpr size_t kSome = 512;  // more than the blocks that follow
  if (has_remains) [[unlikely]]
    work_off_remains(kSome);
  if (FreeBlock* block = pool.free[list]) {
    pool.free[list] = block->next;
    return block;
  }
  if (FreeBlock* block = take_orphans(list)) {
    pool.free[list] = block->next;
    return block;
  }
  size_t block_size = list * kSmallStep;
  if (chunk.next + block_size > chunk.end || !chunk.next) {
    new_chunk();
  }
  size_t count = std::max<size_t>(1, std::min<size_t>(4096 / block_size, (chunk.end - chunk.next) / block_size));
  char* first = chunk.next;
  chunk.next += count * block_size;
  // In address order, so that objects made one after the other lie side by side.
  FreeBlock* head = nullptr;
  for (size_t i = count; i-- > 1;) {
    auto* block = reinterpret_cast<FreeBlock*>(first + i * block_size);
    block->next = head;
    head = block;
  }
  pool.free[list] = head;
  return first;
}

#endif

}  // namespace

Thrown error_of_exception() {
  try {
    throw;
  } catch (const TooLarge& error) {
    return runtime_error(ErrorKind::Limit, "{}", error.what()).error();
  } catch (const std::length_error&) {
    return runtime_error(ErrorKind::Limit, "a text or list would be too large").error();
  } catch (const OutOfMemory& error) {
    return runtime_error(ErrorKind::Limit, "out of memory ({} bytes more were needed)", error.size).error();
  } catch (const std::bad_alloc&) {
    return runtime_error(ErrorKind::Limit, "out of memory").error();
  }
}

void throw_too_large(const char* what) { throw TooLarge(what); }

void* allocate_slow(size_t size) {
#ifndef HARN_SANITIZED
  if (size <= kMaxSmall) return refill(std::max<size_t>(1, (size + kSmallStep - 1) / kSmallStep));
#endif
  return checked_malloc(size);
}

void* reallocate(void* block, size_t old_size, size_t new_size) {
  if (!block) return allocate(new_size);
#ifndef HARN_SANITIZED
  if (old_size <= kMaxSmall || new_size <= kMaxSmall) {
    if (old_size <= kMaxSmall && rounded_size(old_size) == rounded_size(new_size)) return block;
    void* moved = allocate(new_size);
    memcpy(moved, block, std::min(old_size, new_size));
    deallocate(block, old_size);
    return moved;
  }
#endif
  void* moved = realloc(block, new_size ? new_size : 1);
  if (!moved) throw OutOfMemory(new_size);
  if (new_size > old_size) slowly_allocated += new_size - old_size;
  return moved;
}

void* allocate_forever(size_t size) {
  // Kept in a list so that leak checkers see that somebody still knows the block.
  static Mutex mutex;
  static auto* blocks = new std::vector<std::pair<char*, size_t>>;
  constexpr size_t kBlock = 16 * 1024;
  static char* next = nullptr;
  static size_t left = 0;

  std::lock_guard lock(mutex);
  size = rounded_size(size);
  if (size > kBlock / 4) {
    blocks->emplace_back(static_cast<char*>(checked_malloc(size)), size);
    return blocks->back().first;
  }
  if (size > left) {
    blocks->emplace_back(static_cast<char*>(checked_malloc(kBlock)), kBlock);
    next = blocks->back().first;
    left = kBlock;
  }
  left -= size;
  return std::exchange(next, next + size);
}

// ---- counts ----

namespace {

// A chain of a million nested lists must not take a million C++ frames to free: beyond a small
// depth, objects wait in a list that the outermost destroy works off.
constexpr int kMaxDestroyDepth = 48;
constinit thread_local int destroy_depth = 0;
constinit thread_local std::vector<Object*>* pending = nullptr;

void work_off_pending() {
  while (pending && !pending->empty()) {
    Object* object = pending->back();
    pending->pop_back();
    destroy_now(object);
  }
  delete std::exchange(pending, nullptr);
}

void destroy(Object* object) {
  if (destroy_depth >= kMaxDestroyDepth) [[unlikely]] {
    if (!pending) pending = new std::vector<Object*>;
    pending->push_back(object);
    return;
  }
  ++destroy_depth;
  destroy_now(object);
  if (destroy_depth == 1 && pending) [[unlikely]]
    work_off_pending();
  --destroy_depth;
}

}  // namespace

// ---- shared objects ----
//
// Workers that read the same table would spend their time on moving its count from cache to cache. So a worker takes
// many counts of a shared object at once, and counts what it holds and lets go by itself. An object whose count is
// all ours has no users left. What we have of others is given back when the place is needed, and now and then.

namespace {

struct Credit {
  Object* object = nullptr;
  int32_t left = 0;
};

// One for each worker that has used shared objects.
struct Credits {
  static constexpr size_t kPairs = 2048;
  static constexpr int32_t kTaken = 1 << 12;
  static constexpr uint32_t kPatience = 16;

  // Each object has two places where it may be.
  Credit* pair_of(const Object* object) {
    // Objects made one after the other are looked for side by side.
    auto bits = reinterpret_cast<uintptr_t>(object) / 64;
    return places + (bits ^ bits / kPairs) % kPairs * 2;
  }
  Credit* find(const Object* object) {
    Credit* pair = pair_of(object);
    if (pair[0].object == object) return pair;
    return pair[1].object == object ? pair + 1 : nullptr;
  }

  // Which places are taken: most are not, and nobody wants to look at all of them.
  void mark(const Credit* credit) {
    auto place = static_cast<size_t>(credit - places);
    taken[place / 64] |= uint64_t{1} << place % 64;
    ++used;
  }
  void unmark(const Credit* credit) {
    auto place = static_cast<size_t>(credit - places);
    taken[place / 64] &= ~(uint64_t{1} << place % 64);
    --used;
  }

  Credit places[kPairs * 2];
  uint64_t taken[kPairs * 2 / 64] = {};
  size_t used = 0;
  uint32_t misses = 0;
  std::vector<Object*> unused;  // nobody has these any more
};
constinit thread_local Credits* credits = nullptr;

// Nobody has it any more.
void destroy_frozen(Object* object) {
  if (object->flags & kHasRegion) end_region(object);
  destroy(object);
}

// The same. Other threads may have made what it holds.
void destroy_shared(Object* object) {
  destroy_frozen(object);
#ifndef HARN_SANITIZED
  constexpr uint32_t kLookEvery = 4096;
  static thread_local uint32_t freed = 0;
  if (++freed % kLookEvery == 0) give_back_surplus();
#endif
}

// True when nobody has the object any more.
bool give_back(Credit& credit) {
  std::atomic_ref<int32_t> refs(credit.object->refs);
  int32_t left = std::exchange(credit.left, 0);
  return refs.fetch_add(left, std::memory_order_acq_rel) == -left;
}

// A place for one more object. Those that are taken stay so for a while: a walk through more objects than there
// are places would otherwise use none of them twice.
[[gnu::noinline]] Credit* place_for(Object* object) {
  Credit* pair = credits->pair_of(object);
  for (Credit* credit : {pair, pair + 1}) {
    if (credit->object) continue;
    credits->mark(credit);
    credit->object = object;
    return credit;
  }
  if (++credits->misses % Credits::kPatience != 0) return nullptr;
  Credit* credit = pair + credits->misses / Credits::kPatience % 2;
  // Whoever counts up does not expect anything to be freed.
  if (give_back(*credit)) credits->unused.push_back(credit->object);
  credit->object = object;
  return credit;
}

bool is_countable_by_credit(const Object* object) { return credits && object->kind != Kind::Handle; }

// We have no credit for it, or none left.
[[gnu::noinline]] void retain_first(Object* object) {
  if (is_alone()) {
    --object->refs;
    return;
  }
  std::atomic_ref<int32_t> refs(object->refs);
  Credit* credit = nullptr;
  if (is_countable_by_credit(object)) {
    credit = credits->find(object);
    if (!credit) credit = place_for(object);
  }
  refs.fetch_sub(credit ? Credits::kTaken : 1, std::memory_order_relaxed);
  if (credit) credit->left += Credits::kTaken - 1;
}

[[gnu::noinline]] void destroy_unused() {
  while (!credits->unused.empty()) {
    Object* object = credits->unused.back();
    credits->unused.pop_back();
    destroy_shared(object);
  }
}

[[gnu::noinline]] void release_far(Object* object, Credit& credit, bool is_last) {
  if (is_last) {
    credit = {};
    credits->unmark(&credit);
    return destroy_shared(object);
  }
  credit.left -= Credits::kTaken;
  std::atomic_ref<int32_t>(object->refs).fetch_add(Credits::kTaken, std::memory_order_acq_rel);
}

// We have no credit for it.
[[gnu::noinline]] void release_atomically(Object* object) {
  if (is_alone()) {
    if (++object->refs == 0) destroy_frozen(object);
    return;
  }
  if (credits && !credits->unused.empty()) destroy_unused();
  std::atomic_ref<int32_t> refs(object->refs);
  if (refs.fetch_add(1, std::memory_order_acq_rel) != -1) return;
  destroy_shared(object);
}

}  // namespace

void use_credits() {
  if (!credits) credits = new Credits;
}

void give_back_credits() {
  if (!credits) return;
  destroy_unused();
  for (size_t i = 0; i < std::size(credits->taken) && credits->used > 0; ++i) {
    // What is destroyed on the way may take places, and leave them.
    while (uint64_t taken = credits->taken[i]) {
      Credit* place = credits->places + i * 64 + std::countr_zero(taken);
      Credit credit = std::exchange(*place, {});
      credits->unmark(place);
      if (give_back(credit)) destroy_shared(credit.object);
    }
  }
}

void drop_credits() {
  while (credits && (credits->used > 0 || !credits->unused.empty())) give_back_credits();
  delete std::exchange(credits, nullptr);
}

void retain_slow(Object* object) {
  int32_t refs = refs_of(object);
  if (refs == 0) return;
  if (is_inside(refs)) object = collection_of(region_of(refs));
  Credit* credit = credits ? credits->find(object) : nullptr;
  if (!credit || credit->left == 0) return retain_first(object);
  --credit->left;
}

void release_slow(Object* object) {
  int32_t refs = refs_of(object);
  if (refs == 1) [[likely]]
    return destroy(object);
  if (refs == 0) return;
  if (is_inside(refs)) {
    uintptr_t region = region_of(refs);
    if (region == kIsOver) {
      leave_region(refs);
      return destroy(object);
    }
    object = collection_of(region);
  }
  Credit* credit = credits ? credits->find(object) : nullptr;
  if (!credit) return release_atomically(object);
  ++credit->left;
  bool is_last = std::atomic_ref<int32_t>(object->refs).load(std::memory_order_acquire) == -credit->left;
  if (is_last || credit->left > 2 * Credits::kTaken) [[unlikely]]
    release_far(object, *credit, is_last);
}

}  // namespace harn::vm
