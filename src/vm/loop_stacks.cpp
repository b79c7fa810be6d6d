#include "vm/loop_stacks.h"

#include <cxxabi.h>

#include <new>
#include <utility>

#include "base/assert.h"

namespace harn::vm {

namespace {

// The C++ runtime keeps the exceptions that a thread is handling in a list: each stack has its own.
class Exceptions {
 public:
  Exceptions() : state_(*current()) { *current() = {}; }
  ~Exceptions() { *current() = state_; }

 private:
  // As the ABI for C++ describes it.
  struct State {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static State* current() { return reinterpret_cast<State*>(abi::__cxa_get_globals()); }

  State state_;
};

}  // namespace

LoopStacks::~LoopStacks() {
  for (FiberStack* stack : idle_) FiberStack::give_back(stack);
}

bool LoopStacks::can_part() {
  if (!idle_.empty()) return true;
  if (count_ >= kMost) return false;
  idle_.reserve(kMost);
  FiberStack* stack = FiberStack::take(loop_, argument_, FiberStack::kLarge);
  if (!stack) return false;
  ++count_;
  idle_.push_back(stack);
  return true;
}

void LoopStacks::run() {
  HARN_ASSERT(is_on_own(), "the loop is started on the thread's own stack");
  if (!can_part()) throw std::bad_alloc();
  next_ = Next::Loop;
  while (next_ != Next::Return) {
    current_ = other_;
    if (next_ == Next::Loop) {
      current_ = idle_.back();
      idle_.pop_back();
    }
    current_->resume();
    current_ = nullptr;
    for (; idle_.size() > kKept; --count_) {
      FiberStack::give_back(idle_.front());
      idle_.erase(idle_.begin());
    }
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, {}));
}

void LoopStacks::leave(std::exception_ptr failure) {
  failure_ = std::move(failure);
  idle_.push_back(current_);
  next_ = Next::Return;
  current_->pause();
}

void LoopStacks::part(Place& place) {
  Exceptions own;
  place.stack = current_;
  if (!place.stack) return run();
  next_ = Next::Loop;
  place.stack->pause();
}

void LoopStacks::go_on(const Place& place) {
  idle_.push_back(current_);
  other_ = place.stack;
  next_ = other_ ? Next::Other : Next::Return;
  current_->pause();
}

}  // namespace harn::vm
