#pragma once

#include <cstddef>

// C++ stacks besides the threads' own, and the jump between the two. Nothing here knows of tasks: that
// is fiber.h.
//
// A stack is a mapping of its own with a page below it that nobody may touch, so that an overflow ends
// the process instead of writing into a neighbour. Only pages that were used cost memory.
namespace harn::vm {

class FiberStack {
 public:
  using Body = void (*)(void* argument);

  // What builtins that wait have, and as much as a thread has: such a stack is not kept for the next user.
  // Values nest up to 2,000 levels deep, and whoever writes or walks one does a few calls for each. The calls of the
  // sanitizers' builds take ten times as much.
#ifdef HARN_SANITIZED
  static constexpr size_t kSmall = 6 * 1024 * 1024;
#else
  static constexpr size_t kSmall = 1024 * 1024;
#endif
  static constexpr size_t kLarge = 8 * 1024 * 1024;

  // A stack on which `body(argument)` is about to run; null when there is no memory or address space.
  static FiberStack* take(Body body, void* argument, size_t size = kSmall);
  // Hands back a stack whose body has returned, or has nothing left to do.
  static void give_back(FiberStack* stack);

  // Runs the body, from its start or from where it paused, until it pauses or returns. True when it has
  // returned. Always on the thread that called it first.
  bool resume();
  // Called by the body: back to `resume`.
  void pause();

  // How many stacks are in use, and how many wait for the next user.
  static size_t in_use();
  static size_t pooled();

 private:
  FiberStack() = default;
  struct Jump;
  struct Pool;

  static FiberStack* map(size_t size);
  void unmap();

  char* memory_ = nullptr;  // the guard page, then the stack
  size_t size_ = 0;         // of the stack
  Body body_ = nullptr;
  void* argument_ = nullptr;
  void* inside_ = nullptr;   // where the body goes on
  void* outside_ = nullptr;  // where the caller of `resume` goes on
  bool returned_ = false;
  FiberStack* next_ = nullptr;  // in the pool

  // What the sanitizers want to know about a jump.
  void* own_fake_stack_ = nullptr;
  void* outer_fake_stack_ = nullptr;
  const void* outer_bottom_ = nullptr;
  size_t outer_size_ = 0;
  void* own_fiber_ = nullptr;
  void* outer_fiber_ = nullptr;
};

}  // namespace harn::vm
