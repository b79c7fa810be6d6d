#pragma once

#include <atomic>
#include <cstdint>

#include "vm/value.h"

// What a large shared collection alone holds is counted with it.
//
// Workers that walk through one table would change the count of every row, and carry the rows from cache to cache for that. So
// when a large collection is frozen (transfer.h), what is reachable through nobody else becomes its *inside*: such an object has the
// number of a region in place of a count, and whoever holds it counts as one more who holds the collection, whose count
// each worker has at hand (Credits in memory.cpp). A row that somebody keeps keeps the whole table.
//
// Regions are made while nobody else can see the collection, and end on the thread that lets go of it last.
namespace harn::vm {

// Counts of frozen objects are negative; numbers of regions are far below what a count can be.
constexpr int32_t kInside = INT32_MIN / 2;
inline bool is_inside(int32_t refs) { return refs < kInside; }

// Object::flags of frozen collections that have a region.
constexpr uint8_t kHasRegion = 0x20;

// By number: the collection, and one bit that says whether it has gone. A number is in use for as long as somebody has it, so
// nobody needs a lock to look.
constexpr size_t kMostRegions = 16'384;
constexpr uintptr_t kIsOver = 1;
extern std::atomic<uintptr_t> regions[kMostRegions];
// `refs`: of an object inside.
inline uintptr_t region_of(int32_t refs) {
  return regions[static_cast<size_t>(refs - INT32_MIN)].load(std::memory_order_relaxed);
}
inline Object* collection_of(uintptr_t region) { return reinterpret_cast<Object*>(region); }

// Makes a region of a collection that was frozen just now, if it is large enough.
void gather_large(Object* collection);
inline void gather(Object* frozen) {
  if (frozen->kind == Kind::List || frozen->kind == Kind::Dict) gather_large(frozen);
}

// Nobody holds the collection any more: what is inside goes when its holder inside lets go of it.
void end_region(Object* collection);
// An object inside of a region that is over goes.
void leave_region(int32_t refs);

}  // namespace harn::vm
