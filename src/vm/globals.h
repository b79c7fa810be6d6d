#pragma once

#include <atomic>

#include "vm/memory.h"
#include "vm/value.h"

namespace harn::vm {

// The values of a program's top-level variables as one task sees them. A child starts with its parent's
// values at that moment; tasks that have the same values share one block until one of them writes: a task writes only to
// a block that nobody else holds (Interpreter::own_globals makes it one).
struct Globals {
  std::atomic<int32_t> refs;
  uint32_t count;
  Value* values() { return reinterpret_cast<Value*>(this + 1); }

  static Globals* create(uint32_t count) {
    auto* block = static_cast<Globals*>(allocate(sizeof(Globals) + count * sizeof(Value)));
    new (&block->refs) std::atomic<int32_t>(1);
    block->count = count;
    for (uint32_t i = 0; i < count; ++i) new (block->values() + i) Value(Value::unset());
    return block;
  }
  bool is_shared() const { return refs.load(std::memory_order_acquire) > 1; }
};
static_assert(sizeof(Globals) == 8);

class GlobalsRef {
 public:
  GlobalsRef() = default;
  explicit GlobalsRef(Globals* adopted) : block_(adopted) {}
  GlobalsRef(const GlobalsRef& other) : block_(other.block_) {
    if (block_) block_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  GlobalsRef(GlobalsRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  GlobalsRef& operator=(GlobalsRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~GlobalsRef() {
    if (!block_ || block_->refs.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    for (uint32_t i = 0; i < block_->count; ++i) block_->values()[i].~Value();
    deallocate(block_, sizeof(Globals) + block_->count * sizeof(Value));
  }
  Globals* get() const { return block_; }
  Globals* operator->() const { return block_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  Globals* block_ = nullptr;
};

}  // namespace harn::vm
