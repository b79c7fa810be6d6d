#include "vm/fiber_stack.h"

#include <algorithm>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <mutex>
#include <new>

#include "base/spin_lock.h"

#ifdef HARN_SANITIZED
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HARN_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HARN_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HARN_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define HARN_TSAN 1
#endif
#endif

#ifdef HARN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HARN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace harn::vm {

namespace context = boost::context::detail;

namespace {

constexpr size_t kGuard = 4096;
// So many unused stacks keep their pages, or as many as are in use, up to a limit: the next calls are on their way then.
// Others keep only their addresses, until there are so many of both; the rest is unmapped.
constexpr size_t kWarm = 32;
constexpr size_t kMostWarm = 256;
constexpr size_t kPooled = 288;

}  // namespace

// The sanitizers follow a stack by its bounds and shadow state: each jump is announced before, and
// confirmed after.
struct FiberStack::Jump {
  static void entering(FiberStack& stack) {
    (void)stack;
#ifdef HARN_ASAN
    __sanitizer_start_switch_fiber(&stack.outer_fake_stack_, stack.memory_ + kGuard, stack.size_);
#endif
#ifdef HARN_TSAN
    stack.outer_fiber_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(stack.own_fiber_, 0);
#endif
  }
  static void entered(FiberStack& stack) {
    (void)stack;
#ifdef HARN_ASAN
    __sanitizer_finish_switch_fiber(stack.own_fake_stack_, &stack.outer_bottom_, &stack.outer_size_);
#endif
  }
  static void leaving(FiberStack& stack) {
    (void)stack;
#ifdef HARN_ASAN
    // Null: the body has returned, its shadow state can go.
    __sanitizer_start_switch_fiber(stack.returned_ ? nullptr : &stack.own_fake_stack_, stack.outer_bottom_,
                                   stack.outer_size_);
#endif
#ifdef HARN_TSAN
    __tsan_switch_to_fiber(stack.outer_fiber_, 0);
#endif
  }
  static void left(FiberStack& stack) {
    (void)stack;
#ifdef HARN_ASAN
    __sanitizer_finish_switch_fiber(stack.outer_fake_stack_, nullptr, nullptr);
#endif
  }

  static void main(context::transfer_t from) {
    auto& stack = *static_cast<FiberStack*>(from.data);
    stack.outside_ = from.fctx;
    entered(stack);
    stack.body_(stack.argument_);
    stack.returned_ = true;
    leaving(stack);
    context::jump_fcontext(stack.outside_, nullptr);
    __builtin_unreachable();
  }
};

// Shared by all threads: a stack that one worker gives back serves another.
struct FiberStack::Pool {
  SpinLock lock;
  FiberStack* warm = nullptr;
  FiberStack* cold = nullptr;
  size_t warm_count = 0;
  size_t cold_count = 0;
  size_t in_use = 0;

  static Pool& get() {
    static auto* pool = new Pool;  // never destroyed: workers may outlive main
    return *pool;
  }

  FiberStack* take() {
    std::lock_guard guard(lock);
    ++in_use;
    FiberStack*& list = warm ? warm : cold;
    FiberStack* stack = list;
    if (!stack) return nullptr;
    --(warm ? warm_count : cold_count);
    list = stack->next_;
    return stack;
  }

  void put(FiberStack* stack) {
    {
      std::lock_guard guard(lock);
      --in_use;
      if (warm_count < std::clamp(in_use, kWarm, kMostWarm) && warm_count + cold_count < kPooled) {
        ++warm_count;
        stack->next_ = warm;
        warm = stack;
        return;
      }
    }
    madvise(stack->memory_ + kGuard, kSmall, MADV_DONTNEED);
    {
      std::lock_guard guard(lock);
      if (warm_count + cold_count < kPooled) {
        ++cold_count;
        stack->next_ = cold;
        cold = stack;
        return;
      }
    }
    stack->unmap();
  }

  // Stacks of other sizes are counted only.
  void count(int more) {
    std::lock_guard guard(lock);
    in_use += more;
  }
};

FiberStack* FiberStack::map(size_t size) {
  void* memory = mmap(nullptr, kGuard + size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (mprotect(memory, kGuard, PROT_NONE) != 0) {
    munmap(memory, kGuard + size);
    return nullptr;
  }
  // A page or two of it are used, as a rule.
  madvise(memory, kGuard + size, MADV_NOHUGEPAGE);
  auto* stack = new FiberStack;
  stack->memory_ = static_cast<char*>(memory);
  stack->size_ = size;
  return stack;
}

void FiberStack::unmap() {
  munmap(memory_, kGuard + size_);
  delete this;
}

FiberStack* FiberStack::take(Body body, void* argument, size_t size) {
  Pool& pool = Pool::get();
  FiberStack* stack = size == kSmall ? pool.take() : nullptr;
  if (size != kSmall) pool.count(1);
  if (!stack) stack = map(size);
  if (!stack) {
    pool.count(-1);
    return nullptr;
  }
  stack->body_ = body;
  stack->argument_ = argument;
  stack->returned_ = false;
  stack->inside_ = context::make_fcontext(stack->memory_ + kGuard + size, size, Jump::main);
#ifdef HARN_ASAN
  stack->own_fake_stack_ = nullptr;
#endif
#ifdef HARN_TSAN
  stack->own_fiber_ = __tsan_create_fiber(0);
#endif
  return stack;
}

#ifdef HARN_ASAN
// Frames that were left without returning have marked their variables as out of bounds. Only where something is marked:
// to write to the shadow of all of it would cost its memory. (__asan_region_is_poisoned looks at every single address.)
static void __attribute__((no_sanitize("address"))) unpoison(char* begin, size_t size) {
  constexpr size_t kPiece = 4096;
  size_t scale = 0;
  size_t offset = 0;
  __asan_get_shadow_mapping(&scale, &offset);
  for (char* at = begin; at < begin + size; at += kPiece) {
    auto* shadow = reinterpret_cast<const uint64_t*>((reinterpret_cast<uintptr_t>(at) >> scale) + offset);
    uint64_t marks = 0;
    for (size_t i = 0; i < (kPiece >> scale) / sizeof marks; ++i) marks |= shadow[i];
    if (marks) __asan_unpoison_memory_region(at, kPiece);
  }
}
#endif

void FiberStack::give_back(FiberStack* stack) {
#ifdef HARN_ASAN
  unpoison(stack->memory_ + kGuard, stack->size_);
#endif
#ifdef HARN_TSAN
  __tsan_destroy_fiber(stack->own_fiber_);
#endif
  if (stack->size_ == kSmall) return Pool::get().put(stack);
  Pool::get().count(-1);
  stack->unmap();
}

bool FiberStack::resume() {
  Jump::entering(*this);
  inside_ = context::jump_fcontext(inside_, this).fctx;
  Jump::left(*this);
  return returned_;
}

void FiberStack::pause() {
  Jump::leaving(*this);
  outside_ = context::jump_fcontext(outside_, nullptr).fctx;
  Jump::entered(*this);
}

size_t FiberStack::in_use() {
  Pool& pool = Pool::get();
  std::lock_guard guard(pool.lock);
  return pool.in_use;
}

size_t FiberStack::pooled() {
  Pool& pool = Pool::get();
  std::lock_guard guard(pool.lock);
  return pool.warm_count + pool.cold_count;
}

}  // namespace harn::vm
