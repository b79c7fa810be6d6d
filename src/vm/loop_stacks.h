#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "vm/fiber_stack.h"

// The stacks on which a worker runs its loop.
//
// A task may be in the middle of C++ code, a search or a sort, when others should have a turn. That code cannot be
// taken off the stack, so the worker leaves the stack to it: the loop goes on with others on a second stack of the same
// thread, and comes back when it is the task's turn again. Any of the stacks may be the one that the loop runs
// on; the thread's own stack only hands over from one to the next, so that it can always be returned from.
namespace harn::vm {

class LoopStacks {
 public:
  // `loop(argument)` does not return: it calls `leave` when it is over, and goes on when that returns.
  LoopStacks(FiberStack::Body loop, void* argument) : loop_(loop), argument_(argument) {}
  ~LoopStacks();
  LoopStacks(const LoopStacks&) = delete;

  // On the thread's own stack: runs the loop until it calls `leave`. Throws what that was given.
  void run();
  void leave(std::exception_ptr failure = {});

  // Where code goes on that has left its stack.
  struct Place {
    FiberStack* stack = nullptr;  // null: the thread's own
  };
  // The code that runs now leaves the thread to the loop, on another stack, until that calls `go_on`. Only while there
  // is such a stack.
  bool can_part();
  void part(Place& place);
  void go_on(const Place& place);

  // Whether code runs on the thread's own stack: only what `run` is called for may part there.
  bool is_on_own() const { return !current_; }

 private:
  // So many tasks may be in the middle of C++ code.
  static constexpr size_t kMost = 64;
  // So many stacks are kept for the next of them.
  static constexpr size_t kKept = 2;

  FiberStack::Body loop_;
  void* argument_;
  FiberStack* current_ = nullptr;
  std::vector<FiberStack*> idle_;  // the loop waits on them
  size_t count_ = 0;
  // What the thread's own stack shall do next.
  enum class Next : uint8_t { Loop, Other, Return };
  Next next_ = Next::Loop;
  FiberStack* other_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace harn::vm
