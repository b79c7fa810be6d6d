#pragma once

#include <array>
#include <atomic>
#include <exception>

#include "vm/value.h"

// Updates in place.
//
// A value that several hold is copied before it is changed. Often the others hold it for nothing: a register that is
// not read again, or the very variable or field that the update's result is about to be stored in. An update that is
// about to copy looks for those and empties them. Nobody notices, because nobody reads them before they are written.
namespace harn::vm {

// What was emptied, so that it can be put back.
class Emptied {
 public:
  bool take(Value& place) {
    if (count_ == places_.size()) return false;
    places_[count_++] = {&place, place.object()};
    place.set_nil();
    return true;
  }
  void put_back() {
    while (count_ > 0) {
      auto [place, object] = places_[--count_];
      *place = Value::share(object);
    }
  }
  bool is_none() const { return count_ == 0; }

 private:
  std::array<std::pair<Value*, Object*>, 24> places_;
  uint32_t count_ = 0;
};

// Whether it is worth looking who else holds a small record: it is when its parts, which are large, change with it.
enum class Looks : uint8_t { IfLarge, Always };
void claim_shared(const Value& held, Emptied& emptied, Looks looks = Looks::IfLarge);

// Makes this the only hold on the object if it can, else changes nothing. Only for updates that take time for what they
// change, not for all there is, and that cannot fail any more when it has worked.
inline void claim(const Value& held) {
  if (!held.is_heap() || refs_of(held.object()) <= 1) return;
  Emptied emptied;
  claim_shared(held, emptied);
}

// The same for an update that may be left by an exception (it was stopped, or there is no memory) as long as it has
// changed nothing, or takes that back: the others have the object again then. Lives shorter than `held`.
class Claimed {
 public:
  explicit Claimed(const Value& held, Looks looks = Looks::IfLarge) {
    if (!held.is_heap() || refs_of(held.object()) <= 1) return;
    claim_shared(held, emptied_, looks);
    if (!emptied_.is_none()) exceptions_ = std::uncaught_exceptions();
  }
  ~Claimed() {
    if (!emptied_.is_none() && std::uncaught_exceptions() > exceptions_) emptied_.put_back();
  }
  Claimed(const Claimed&) = delete;

 private:
  Emptied emptied_;
  int exceptions_ = 0;
};

// The same for a text that `more` bytes are appended to. Without room for them it is left to be copied to where there
// is, which costs no more in the long run.
void claim_room(const Value& text, size_t more);

// How many items and 16 bytes of text were copied because several held them: for tests.
extern std::atomic<uint64_t> copied_items;
inline void note_copy(size_t items) { copied_items.fetch_add(items, std::memory_order_relaxed); }

}  // namespace harn::vm
