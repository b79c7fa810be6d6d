#pragma once

#include <map>
#include <memory>
#include <string>

#include "vm/builtin.h"
#include "vm/task.h"

// Named locks: mutexes, semaphores, gates and read-write locks. All of them are counters that tasks
// take permits from, first come, first served; they differ in how many there are.
namespace harn::vm {

struct Lock {
  Lock(std::string kind, std::string key, uint64_t capacity);

  const std::string kind;  // "mutex", "semaphore", "gate", "rwlock"
  const std::string key;
  const uint64_t capacity;
  SpinLock guard;  // of what follows
  uint64_t available;
  WaitQueue waiting{guard};
  struct Metrics {
    int64_t acquired = 0, timeouts = 0, cancellations = 0, released = 0;
    int64_t held = 0, queued = 0, most_queued = 0;
    Nanoseconds waited = 0, held_time = 0;
  } metrics;

  Value show();  // the dict of sync_metrics
};

// A share of a lock. Belongs to the task that got it and ends with its scope.
struct Permit : HandleObject {
  Lock* lock = nullptr;
  uint64_t amount = 0;
  uint64_t owner = 0;  // Task::id
  Nanoseconds since = 0;
  Clock* clock = nullptr;
  std::atomic<bool> released{false};
};
extern const HandleType kPermitType;
inline Permit* as_permit(const Value& value) { return as_handle<Permit>(value, kPermitType); }

// All locks of a program, by kind and key. They live as long as the program.
class Locks {
 public:
  // The lock, made on first use; fails when it exists with another capacity.
  Outcome<Lock*> find(std::string_view kind, std::string_view key, uint64_t capacity);
  Lock* find(std::string_view kind, std::string_view key);
  std::vector<Lock*> all(std::string_view kind);  // empty: of every kind

 private:
  SpinLock guard_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Lock>> locks_;
};

// Takes `amount` permits, or parks until they are there; nil when `due` comes first.
Step acquire(WaitCall& call, Lock& lock, uint64_t amount, Nanoseconds due);
// True the first time.
bool release_permit(Permit& permit);
// Gives back the permits that the scopes of a coroutine got since they held `keep` of them.
void release_permits(Coroutine& coroutine, size_t keep);

}  // namespace harn::vm
