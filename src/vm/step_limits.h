#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/mutex.h"

// How much tasks may still compute, where somebody has set a limit: a model's expression must not keep a program busy, however fast the machine is.
// One for each VM (`vm.local<StepLimits>()`); tasks of all workers use it at once.
//
// A step is a call or a pass of a loop; long builtins count as so many as they take time for. Counted at the interpreter's checkpoints, so
// that code without a limit pays nothing in between. A limit that was passed stays passed until it is lifted: code may clean up for one turn
// of the interpreter, then it is told again.
namespace harn::vm {

class StepLimits {
 public:
  // What a task may do between two checkpoints, at most.
  static constexpr int64_t kTurn = 5'000;

  // From now on the task has so many steps left; nothing: as many as it likes. Gives what it had left before.
  std::optional<int64_t> set(const void* task, std::optional<int64_t> steps) {
    std::lock_guard held(lock_);
    auto found = left_.find(task);
    std::optional<int64_t> before = found == left_.end() ? std::nullopt : std::optional(found->second);
    if (steps) left_[task] = *steps;
    else left_.erase(task);
    is_used_.store(!left_.empty(), std::memory_order_release);
    return before;
  }
  // The task has come to a checkpoint. True: it has no steps left.
  bool take_turn(const void* task) {
    if (!is_used_.load(std::memory_order_acquire)) return false;
    std::lock_guard held(lock_);
    auto found = left_.find(task);
    return found != left_.end() && (found->second -= kTurn) < 0;
  }

 private:
  Mutex lock_;
  std::atomic<bool> is_used_{false};
  std::unordered_map<const void*, int64_t> left_;
};

}  // namespace harn::vm
