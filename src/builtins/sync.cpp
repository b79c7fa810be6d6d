// Mutexes, semaphores, gates and read-write locks that tasks share by name.
#include "vm/sync.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/wait_time.h"

namespace harn::builtins {

using namespace vm;

namespace {

Locks& locks(Call& call) { return call.vm().scheduler().locks(); }

Step acquire_from(WaitCall& call, std::string_view kind, std::string_view key, uint64_t capacity, uint64_t amount,
                  Nanoseconds due) {
  auto lock = locks(call).find(kind, key, capacity);
  if (!lock) return call.fail(std::move(lock).error());
  return acquire(call, std::move(*lock), amount, due);
}

Outcome<Value> check_time(Call& call, uint32_t i) {
  const Value& time = call.arg(i);
  if (time.is_nil() || time.is_int()) return Value();
  return call.wrong_type(i, "a duration in milliseconds");
}

Step mutex_acquire(WaitCall& call) {
  auto key = call.text_or(0, "__default__");
  if (!key) return call.fail(std::move(key).error());
  if (auto time = check_time(call, 1); !time) return call.fail(std::move(time).error());
  return acquire_from(call, "mutex", *key, 1, 1, wait_due(call, 1));
}

// How many there are, or how many are wanted.
Outcome<uint64_t> positive(Call& call, uint32_t i, int64_t otherwise) {
  int64_t value = HARN_TRY(call.integer_or(i, otherwise));
  if (value <= 0) return runtime_error(ErrorKind::Invalid, "{}: value must be positive", call.row().name);
  return static_cast<uint64_t>(value);
}

Step semaphore_acquire(WaitCall& call) {
  auto key = call.text(0);
  if (!key) return call.fail(std::move(key).error());
  auto capacity = positive(call, 1, 0);
  if (!capacity) return call.fail(std::move(capacity).error());
  auto amount = positive(call, 2, 1);
  if (!amount) return call.fail(std::move(amount).error());
  if (auto time = check_time(call, 3); !time) return call.fail(std::move(time).error());
  return acquire_from(call, "semaphore", *key, *capacity, *amount, wait_due(call, 3));
}

Step gate_acquire(WaitCall& call) {
  auto key = call.text(0);
  if (!key) return call.fail(std::move(key).error());
  auto limit = positive(call, 1, 0);
  if (!limit) return call.fail(std::move(limit).error());
  if (auto time = check_time(call, 2); !time) return call.fail(std::move(time).error());
  return acquire_from(call, "gate", *key, *limit, 1, wait_due(call, 2));
}

// Readers take one permit, a writer takes all.
Step rwlock_acquire(WaitCall& call) {
  constexpr uint64_t kReaders = 1u << 30;
  auto key = call.text(0);
  if (!key) return call.fail(std::move(key).error());
  auto mode = call.text(1);
  if (!mode) return call.fail(std::move(mode).error());
  if (*mode != "read" && *mode != "write") {
    return call.fail(runtime_error(ErrorKind::Invalid, "sync_rwlock_acquire: mode must be read or write"));
  }
  if (auto time = check_time(call, 2); !time) return call.fail(std::move(time).error());
  return acquire_from(call, "rwlock", *key, kReaders, *mode == "read" ? 1 : kReaders, wait_due(call, 2));
}

Outcome<Value> sync_release(Call& call) {
  Permit* permit = as_permit(call.arg(0));
  if (!permit) return runtime_error(ErrorKind::Type, "sync_release: first argument must be a sync permit");
  Task& task = Scheduler::current();
  if (permit->owner != task.id && !permit->released) {
    return runtime_error("sync_release: this permit belongs to {}, not to {}", task_id_text(permit->owner),
                         task_id_text(task.id));
  }
  // The scope keeps its entry: releasing twice does nothing.
  return Value::boolean(release_permit(*permit));
}

Outcome<Value> sync_metrics(Call& call) {
  let_others_in();
  auto kind = HARN_TRY(call.text_or(0, ""));
  if (!kind.empty() && call.arg(1).is_string()) {
    auto key = HARN_TRY(call.text(1));
    LockUse lock = locks(call).find(kind, key);
    return lock ? lock->show() : Value();
  }
  auto list = new_list();
  for (const LockUse& lock : locks(call).all(kind)) {
    if (call.arg(1).is_string() && lock->key != call.arg(1).as_string()->view()) continue;
    list->push(lock->show());
  }
  return Value(std::move(list));
}

constinit const Builtin kRows[] = {
    {.name = "sync_mutex_acquire",
     .signature = "(key?: string, timeout?: duration) -> permit?",
     .doc = "Takes the named mutex, waiting in line; a permit that ends with the scope, or nil after `timeout` ms.",
     .example = "sync_release(sync_mutex_acquire(\"state\", 250))",
     .flags = BuiltinFlags::Acquires,
     .wait = mutex_acquire},
    {.name = "sync_semaphore_acquire",
     .signature = "(key: string, capacity: int, permits?: int, timeout?: duration) -> permit?",
     .doc = "Takes `permits` (1) of the named semaphore's `capacity`, waiting in line; nil after `timeout` ms.",
     .example = "sync_release(sync_semaphore_acquire(\"connector\", 4, 1, 2000))",
     .flags = BuiltinFlags::Acquires,
     .wait = semaphore_acquire},
    {.name = "sync_gate_acquire",
     .signature = "(key: string, limit: int, timeout?: duration) -> permit?",
     .doc = "Takes one of `limit` slots of the named gate, waiting in line; nil after `timeout` ms.",
     .example = "sync_release(sync_gate_acquire(\"runner\", 8, 5000))",
     .flags = BuiltinFlags::Acquires,
     .wait = gate_acquire},
    {.name = "sync_rwlock_acquire",
     .signature = "(key: string, mode: \"read\" | \"write\", timeout?: duration) -> permit?",
     .doc = "Takes the named lock to \"read\" (with others) or to \"write\" (alone); nil after `timeout` ms.",
     .example = "sync_release(sync_rwlock_acquire(\"table\", \"read\"))",
     .flags = BuiltinFlags::Acquires,
     .wait = rwlock_acquire},
    {.name = "__mutex_enter",
     .signature = "(lock: int) -> int",
     .doc = "The mutex statement, when the lock is taken; how many permits the task's scopes held before.",
     .wait = wait_for_block},
    {.name = "sync_release",
     .signature = "(permit: any) -> bool",
     .doc = "Gives a permit back before its scope ends; true the first time.",
     .example = "sync_release(sync_mutex_acquire())",
     .call = sync_release},
    {.name = "sync_metrics",
     .signature = "(kind?: string) -> list<dict>; (kind: string, key: string) -> dict",
     .doc = "Counters of one lock (kind and key given), or a list of those of all that match.",
     .example = "sync_metrics(\"mutex\", \"nobody took this\") == nil",
     .call = sync_metrics},
};

}  // namespace

std::span<const Builtin> sync_rows() { return kRows; }

}  // namespace harn::builtins
