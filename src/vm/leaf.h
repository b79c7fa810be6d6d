#pragma once

#include "vm/function.h"

// Short callbacks, computed without a frame.
//
// `{ x -> x.age > limit }` reads its arguments, what it has captured and constants, compares and computes. It makes
// nothing, calls nothing and changes nothing, so a loop in C++ can evaluate it in place: without a frame, and without
// counting what it looks at, since all of that is held by others meanwhile. Whatever goes beyond numbers, texts and
// fields that are there is left to the interpreter, which calls the function from its beginning; nobody notices.
namespace harn::vm {

class Leaf {
 public:
  Leaf() = default;
  // For calls of `callee` with `count` arguments.
  Leaf(const Value& callee, uint32_t count) { prepare(callee, count); }
  Leaf(const Leaf&) = delete;
  bool prepare(const Value& callee, uint32_t count);

  // Whether such calls can be tried at all.
  explicit operator bool() const { return closure_ != nullptr; }

  // The result, which lives as long as the arguments and the function; null when the interpreter must do it.
  const Value* call(const Value& argument) {
    registers()[0].init_raw(argument.kind(), argument.bits());
    if (only_.left && only_.left->is_int() && only_.right->is_int()) return compute();
    return run();
  }
  const Value* call(const Value& first, const Value& second) {
    registers()[1].init_raw(second.kind(), second.bits());
    return call(first);
  }

  static constexpr uint32_t kMostRegisters = 14;

 private:
  // A callback of one operation, such as `{ x -> x < limit }`: where its operands are. Null for others.
  struct Operation {
    bytecode::Op op;
    const Value* left = nullptr;
    const Value* right = nullptr;
  };
  Operation only_operation(uint32_t parameters);
  const Value* compute();
  const Value* run();
  Value* registers() { return reinterpret_cast<Value*>(storage_); }

  ClosureObject* closure_ = nullptr;
  const Value* globals_ = nullptr;
  Operation only_;
  // The result of the only operation, and a number in its code, come last.
  static constexpr uint32_t kResult = kMostRegisters;
  static constexpr uint32_t kNumber = kMostRegisters + 1;
  alignas(Value) std::byte storage_[(kMostRegisters + 2) * sizeof(Value)];  // borrowed, so that nobody drops them
};

// An iterator that is made of such callbacks: `range(9).map(f).filter(g)`, as long as nobody has begun its generators.
enum class Pulled : uint8_t { Item, Nothing, Refused };
class LeafChain {
 public:
  explicit LeafChain(IterObject& iter);
  LeafChain(const LeafChain&) = delete;
  explicit operator bool() const { return source_ != nullptr; }
  // Refused: the generators must run, for the item that would be next. After anything else than an item it is done.
  Pulled next(Value& item);

 private:
  static constexpr uint32_t kMost = 6;
  struct Link {
    Leaf callback;
    Prototype::Stage kind;
    IterObject* iter;
  };
  IterObject* source_ = nullptr;
  uint32_t count_ = 0;
  Link stages_[kMost];  // the last link of the chain first
};

}  // namespace harn::vm
