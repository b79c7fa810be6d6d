#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "vm/builtin.h"
#include "vm/scheduler.h"
#include "vm/task.h"

// Named locks: mutexes, semaphores, gates and read-write locks. All of them are counters that tasks
// take permits from, first come, first served; they differ in how many there are.
namespace harn::vm {

class Locks;

struct Lock {
  Lock(Locks& locks, std::string_view kind, std::string_view key, uint64_t capacity);

  Locks* locks;            // null when the program has ended and only permits are left
  const std::string kind;  // "mutex", "semaphore", "gate", "rwlock"
  const std::string key;
  const uint64_t capacity;
  const Value label;  // for reports: what a task waits for
  SpinLock guard;     // of what follows
  uint64_t available;
  WaitQueue waiting{guard};
  // A `mutex` block that is left while others wait is theirs when the task next looks up. Until then it stays taken,
  // and the task may enter it again: handing a lock to and fro between workers costs a hundred times what such blocks
  // do. Only that task's worker changes it, and what follows, meanwhile, without the guard.
  std::atomic<Task*> owed_by{nullptr};
  bool is_inside = false;   // the one that owes it
  uint64_t entered_at = 0;  // Task::moment of the one inside
  bool is_owed_by(const Task& task) const { return owed_by.load(std::memory_order_relaxed) == &task; }
  struct Metrics {
    std::atomic<int64_t> acquired{0};
    int64_t timeouts = 0, cancellations = 0;
    int64_t released = 0;  // but not the one permit of a mutex
    int64_t queued = 0, most_queued = 0;
    Nanoseconds waited = 0, held_time = 0;
  } metrics;

  // Guarded by the one of Locks.
  uint32_t users = 0;  // permits, tasks that wait, calls that have it in hand
  std::list<Lock*>::iterator unused_place;
  bool is_of_block = false;

  bool is_free() const { return available != 0 && waiting.empty(); }
  // By whoever may take from it.
  void count_acquired() {
    metrics.acquired.store(metrics.acquired.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  Value show();  // the dict of sync_metrics
};

// Keeps a lock from being forgotten.
class LockUse {
 public:
  LockUse() = default;
  static LockUse adopt(Lock* lock) {
    LockUse use;
    use.lock_ = lock;
    return use;
  }
  LockUse(LockUse&& other) noexcept : lock_(other.detach()) {}
  LockUse& operator=(LockUse&& other) noexcept {
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~LockUse();

  Lock* operator->() const { return lock_; }
  Lock& operator*() const { return *lock_; }
  explicit operator bool() const { return lock_ != nullptr; }
  Lock* detach() { return std::exchange(lock_, nullptr); }

 private:
  Lock* lock_ = nullptr;
};

// A share of a lock. Belongs to the task that got it and ends with its scope.
struct Permit : HandleObject {
  LockUse lock;
  uint64_t amount = 0;
  uint64_t owner = 0;  // Task::id
  Nanoseconds since = 0;
  std::atomic<bool> released{false};
};
extern const HandleType kPermitType;
inline Permit* as_permit(const Value& value) { return as_handle<Permit>(value, kPermitType); }

// All locks of a program, by kind and key. Those of `mutex` blocks live as long as the program; of the others that
// nobody uses any more the last ones are kept, with what they have counted.
class Locks {
  friend class Standstill;

 public:
  explicit Locks(Scheduler& scheduler) : scheduler_(scheduler) {}
  ~Locks();
  Locks(const Locks&) = delete;

  Scheduler& scheduler() { return scheduler_; }
  // The builtin that waits for the lock of a `mutex` block.
  const Builtin& wait_row();
  // The lock, made on first use; fails when it exists with another capacity.
  Outcome<LockUse> find(std::string_view kind, std::string_view key, uint64_t capacity);
  LockUse find(std::string_view kind, std::string_view key);
  std::vector<LockUse> all(std::string_view kind);  // empty: of every kind
  void leave(Lock& lock);

  // The lock of a `mutex` block, which stays where it is.
  Lock& find_block(std::string_view key);

 private:
  static constexpr size_t kUnusedKept = 1024;
  Lock& ensure(std::string_view kind, std::string_view key, uint64_t capacity);
  LockUse use(Lock& lock);

  using Name = std::pair<std::string_view, std::string_view>;  // kind and key, which are the lock's own
  Scheduler& scheduler_;
  std::atomic<const Builtin*> wait_row_{nullptr};
  SpinLock guard_;
  std::map<Name, std::unique_ptr<Lock>> locks_;
  std::list<Lock*> unused_;  // the longest unused first
};

// Takes `amount` permits, or parks until they are there; nil when `due` comes first.
Step acquire(WaitCall& call, LockUse lock, uint64_t amount, Nanoseconds due);
// True the first time.
bool release_permit(Permit& permit);

// Enters a `mutex` block. `held` becomes how many permits the scopes around it hold; or, when the task must wait in
// line, the argument for `wait_for_block`, which answers with the same.
bool enter_block(Task& task, InlineCache& place, Value& held);
Step wait_for_block(WaitCall& call);
// `keep` is what `enter_block` said.
void leave_block(Coroutine& coroutine, size_t keep);

// The task is inside from now on.
[[gnu::always_inline]] inline void take_block(Lock& lock, Task& task, HeldPermits& permits, Nanoseconds now) {
  lock.count_acquired();
  lock.entered_at = task.moment();
  permits.add({.block = &lock, .since = now});
}

// The usual cases of both: a single thread, and nobody waits; or the task owes the block to others and need not give
// it back yet. False when it is another.
[[gnu::always_inline]] inline bool enter_quickly(Task& task, InlineCache& place, Value& held) {
  uint64_t known = place.found();
  HeldPermits* permits = task.current->permits.get();
  if (known == InlineCache::kEmpty || !permits) [[unlikely]]
    return false;
  Lock& lock = *reinterpret_cast<Lock*>(known);
  if (lock.is_owed_by(task)) {
    if (lock.is_inside) return false;
    lock.is_inside = true;
  } else {
    if (!is_alone() || !lock.is_free()) return false;
    --lock.available;
  }
  task.talk();
  held.set_int(static_cast<int64_t>(permits->size()));
  take_block(lock, task, *permits, task.home->recent_time);
  return true;
}
[[gnu::always_inline]] inline bool leave_quickly(Task& task, size_t keep) {
  HeldPermits& permits = *task.current->permits;
  if (permits.size() != keep + 1) return false;
  Lock& lock = *permits.last().block;
  if (task.moment() != lock.entered_at) return false;
  if (lock.is_owed_by(task)) {
    lock.is_inside = false;
  } else {
    if (!is_alone() || !lock.waiting.empty()) return false;
    ++lock.available;
  }
  permits.drop_last();
  return true;
}

// Gives back the permits that the scopes of a coroutine got since they held `keep` of them.
void release_permits(Coroutine& coroutine, size_t keep);

}  // namespace harn::vm
