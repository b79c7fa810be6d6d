#include "vm/regions.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "vm/dict.h"
#include "vm/hash_table.h"
#include "vm/objects.h"
#include "vm/parts.h"

namespace harn::vm {

namespace {

#ifdef HARN_SANITIZED
constexpr size_t kLarge = 3;  // so that tests have many
#else
constexpr size_t kLarge = 1024;
#endif

class Regions {
 public:
  static Regions& all() {
    static auto* all = new Regions;  // never destroyed: workers may outlive main
    return *all;
  }

  // SIZE_MAX when there are too many.
  size_t add(Object* collection) {
    std::lock_guard guard(lock_);
    size_t number = used_;
    if (!free_.empty()) {
      number = free_.back();
      free_.pop_back();
    } else if (number == kMostRegions) {
      return SIZE_MAX;
    } else {
      ++used_;
    }
    regions[number].store(reinterpret_cast<uintptr_t>(collection), std::memory_order_relaxed);
    numbers_[collection] = number;
    return number;
  }

  void set_objects(size_t number, size_t objects) { objects_[number].store(objects, std::memory_order_relaxed); }

  void end(Object* collection) {
    std::lock_guard guard(lock_);
    size_t number = numbers_.extract(collection).mapped();
    regions[number].store(kIsOver, std::memory_order_relaxed);
    if (objects_[number].load(std::memory_order_relaxed) == 0) free_.push_back(number);
  }

  void leave(size_t number) {
    // One thread lets go of all of them.
    size_t left = objects_[number].load(std::memory_order_relaxed) - 1;
    objects_[number].store(left, std::memory_order_relaxed);
    if (left != 0) return;
    std::lock_guard guard(lock_);
    free_.push_back(number);
  }

 private:
  Mutex lock_;
  std::atomic<size_t> objects_[kMostRegions] = {};  // inside, by number
  size_t used_ = 0;
  std::vector<size_t> free_;
  std::unordered_map<Object*, size_t> numbers_;  // of collections that are in use
};

size_t number_of(int32_t refs) { return static_cast<size_t>(refs - INT32_MIN); }
int32_t refs_in(size_t number) { return INT32_MIN + static_cast<int32_t>(number); }

size_t size_of(const Object* collection) {
  if (collection->kind == Kind::List) return static_cast<const ListObject*>(collection)->size;
  return static_cast<const DictObject*>(collection)->size();
}

// Handles and functions do something when they go.
bool may_be_inside(Kind kind) {
  switch (kind) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Range:
    case Kind::Dict:
    case Kind::Struct:
    case Kind::Enum:
    case Kind::Set:
    case Kind::Pair: return true;
    default: return false;
  }
}

bool may_hold_others(Kind kind) { return kind != Kind::String && kind != Kind::Bytes && kind != Kind::Range; }

}  // namespace

std::atomic<uintptr_t> regions[kMostRegions];

void gather_large(Object* collection) {
  if (size_of(collection) < kLarge || refs_of(collection) >= 0 || is_inside(refs_of(collection))) return;
  size_t number = Regions::all().add(collection);
  if (number == SIZE_MAX) return;
  collection->flags |= kHasRegion;
  size_t objects = 0;
  std::vector<Object*> open = {collection};
  while (!open.empty()) {
    Object* holder = open.back();
    open.pop_back();
    each_part(holder, [&](Value& part) {
      // A count of one is that of the holder.
      if (!part.is_heap() || refs_of(part.object()) != -1 || !may_be_inside(part.kind())) return;
      if (part.object()->flags & kHasRegion) return;
      set_refs(part.object(), refs_in(number));
      ++objects;
      if (may_hold_others(part.kind())) open.push_back(part.object());
    });
  }
  Regions::all().set_objects(number, objects);
}

void end_region(Object* collection) {
  collection->flags &= static_cast<uint8_t>(~kHasRegion);
  Regions::all().end(collection);
}

void leave_region(int32_t refs) { Regions::all().leave(number_of(refs)); }

}  // namespace harn::vm
