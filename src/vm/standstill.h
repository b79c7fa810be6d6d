#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vm/scheduler.h"
#include "vm/sync.h"
#include "vm/vm.h"

namespace harn::vm {

// What a program that is to be put away is waited for: effects that are under way. They cannot travel, and most of them are
// over soon; it goes on until they are, and stands still at a later wait. One for each VM.
struct Patience : Timer {
  static constexpr Nanoseconds kLongest = 2'000 * kMillisecond;
  Scheduler* scheduler = nullptr;
  std::atomic<size_t> fibers{0};  // tasks in the middle of a builtin that deals with the world outside
  std::atomic<bool> has_begun{false};
  std::atomic<bool> is_over{false};
};

// A program in which nothing runs, with everything that a copy of it in another process needs: for src/park. Between
// two turns of its tasks (Scheduler::stand_still_at), or before it has begun (Vm::adopt).
class Standstill {
 public:
  explicit Standstill(Vm& vm) : vm_(vm), scheduler_(vm.scheduler()) {}

  Vm& vm() { return vm_; }
  Scheduler& scheduler() { return scheduler_; }

  // A program whose state is about to be read stands still until it goes on.
  void begin() { scheduler_.stands_still_ = true; }

  // On a worker, when the program should stand still: whether it has to wait for effects first.
  bool waits_for_effects();

  // Why there is more to this program than its tasks; empty: there is not.
  std::string_view tie() const;

  // ---- code ----
  Unit* program() { return vm_.main_; }
  size_t& stage() { return vm_.stage_; }
  struct Part {
    std::string name;
    Unit* unit;
  };
  // Those files of the prelude that are loaded, in the order of their names.
  std::vector<Part> prelude();
  Outcome<Unit*> load_prelude(std::string_view name);

  // ---- tasks ----
  // Those that can go on, or are yet to begin, in the order of their turns.
  std::vector<Task*> in_line();
  void put_in_line(Task& task);
  // The tasks have not ended, and the parent has no children yet.
  void set_children(Task& parent, std::span<Task* const> children);
  std::atomic<uint32_t>& unseen() { return scheduler_.unseen_; }

  // ---- locks ----
  std::vector<Lock*> locks();
  // Nobody holds it; null when there is one of that name with another capacity.
  Lock* add_lock(std::string_view kind, std::string_view key, uint64_t capacity, bool is_of_block);
  LockUse use(Lock& lock) { return scheduler_.locks().use(lock); }

 private:
  Vm& vm_;
  Scheduler& scheduler_;
};

}  // namespace harn::vm
