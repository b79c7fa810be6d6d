#include "vm/sync.h"

#include <mutex>

#include "vm/dict.h"
#include "vm/scheduler.h"

namespace harn::vm {

namespace {

void display_permit(std::string& out, const HandleObject* handle) {
  auto* permit = static_cast<const Permit*>(handle);
  out += "<sync_permit:" + permit->lock->kind + ":" + permit->lock->key + ">";
}

void drop_permit(HandleObject* handle) { release_permit(*static_cast<Permit*>(handle)); }

// With the lock held: the task has its permits from now on.
Value grant(Lock& lock, Task& task, uint64_t amount, Nanoseconds waited) {
  Clock& clock = task.scheduler->clock();
  lock.available -= amount;
  lock.metrics.acquired++;
  lock.metrics.held += static_cast<int64_t>(amount);
  lock.metrics.waited += waited;
  auto permit = new_handle<Permit>(kPermitType);
  permit->lock = &lock;
  permit->amount = amount;
  permit->owner = task.id;
  permit->since = clock.now();
  permit->clock = &clock;
  auto& permits = task.current->permits;
  if (!permits) permits = std::make_unique<std::vector<Value>>();
  permits->push_back(Value(permit));
  return permit;
}

// With the lock held: as many of the first tasks in line as there are permits for. A large request at
// the front holds up small ones behind it, so that it cannot starve.
void serve(Lock& lock) {
  while (Waiter* waiter = lock.waiting.front()) {
    if (waiter->number > lock.available) return;
    Task& task = *waiter->task;
    // If it gives up at this moment, `left` counts it out and asks again.
    if (!task.claim(waiter->ticket)) return;
    lock.waiting.remove(*waiter);
    --lock.metrics.queued;
    Nanoseconds waited = task.scheduler->clock().now() - task.wait_until;
    task.scheduler->answer(task, grant(lock, task, waiter->number, waited));
  }
}

// A task gave up. If it was the first in line, those behind it may go on.
void left(WaitQueue& queue, Waiter& waiter, Wake reason) {
  Lock& lock = *static_cast<Lock*>(queue.owner);
  std::lock_guard guard(lock.guard);
  --lock.metrics.queued;
  (reason == Wake::Timeout ? lock.metrics.timeouts : lock.metrics.cancellations)++;
  lock.metrics.waited += waiter.task->scheduler->clock().now() - waiter.task->wait_until;
  serve(lock);
}

}  // namespace

constinit const HandleType kPermitType = {"sync_permit", destroy_handle<Permit>, display_permit, drop_permit};

Lock::Lock(std::string kind, std::string key, uint64_t capacity)
    : kind(std::move(kind)), key(std::move(key)), capacity(capacity), available(capacity) {
  waiting.owner = this;
  waiting.left = left;
}

Value Lock::show() {
  std::lock_guard hold(guard);
  auto number = [](int64_t value) { return Value::integer(value); };
  return DictBuilder()
      .add("kind", text_value(kind))
      .add("key", text_value(key))
      .add("capacity", number(static_cast<int64_t>(capacity)))
      .add("acquisition_count", number(metrics.acquired))
      .add("timeout_count", number(metrics.timeouts))
      .add("cancellation_count", number(metrics.cancellations))
      .add("release_count", number(metrics.released))
      .add("current_held", number(metrics.held))
      .add("current_queue_depth", number(metrics.queued))
      .add("max_queue_depth", number(metrics.most_queued))
      .add("total_wait_ms", number(metrics.waited / kMillisecond))
      .add("total_held_ms", number(metrics.held_time / kMillisecond))
      .done();
}

// ---- all locks ----

Outcome<Lock*> Locks::find(std::string_view kind, std::string_view key, uint64_t capacity) {
  std::lock_guard hold(guard_);
  auto& lock = locks_[{std::string(kind), std::string(key)}];
  if (!lock) lock = std::make_unique<Lock>(std::string(kind), std::string(key), capacity);
  if (lock->capacity != capacity) {
    return runtime_error("sync {} '{}' already exists with capacity {}, not {}", kind, key, lock->capacity, capacity);
  }
  return lock.get();
}

Lock* Locks::find(std::string_view kind, std::string_view key) {
  std::lock_guard hold(guard_);
  auto found = locks_.find({std::string(kind), std::string(key)});
  return found == locks_.end() ? nullptr : found->second.get();
}

std::vector<Lock*> Locks::all(std::string_view kind) {
  std::lock_guard hold(guard_);
  std::vector<Lock*> out;
  for (auto& [name, lock] : locks_) {
    if (kind.empty() || name.first == kind) out.push_back(lock.get());
  }
  return out;
}

// ---- taking and giving back ----

Step acquire(WaitCall& call, Lock& lock, uint64_t amount, Nanoseconds due) {
  if (amount > lock.capacity) {
    return call.fail(runtime_error("sync {} '{}' requested {} permits from capacity {}", lock.kind, lock.key, amount,
                                   lock.capacity));
  }
  Task& task = call.task();
  task.talk();
  Clock& clock = call.scheduler().clock();
  std::lock_guard guard(lock.guard);
  if (lock.waiting.empty() && lock.available >= amount) return call.done(grant(lock, task, amount, 0));
  if (due <= clock.now()) {
    ++lock.metrics.timeouts;
    return call.done({});
  }
  lock.metrics.most_queued = std::max(lock.metrics.most_queued, ++lock.metrics.queued);
  task.wait_until = clock.now();  // when it began: for the metrics
  task.waiter.value = text_value(lock.kind + " '" + lock.key + "'");
  uint64_t ticket = task.wait_in(lock.waiting, "sync acquire", &task.waiter.value, amount);
  if (due != kNever) call.scheduler().set_timeout(task, ticket, due);
  return Step::Parked;
}

bool release_permit(Permit& permit) {
  if (permit.released.exchange(true)) return false;
  Lock& lock = *permit.lock;
  std::lock_guard guard(lock.guard);
  lock.available += permit.amount;
  lock.metrics.released++;
  lock.metrics.held -= static_cast<int64_t>(permit.amount);
  lock.metrics.held_time += permit.clock->now() - permit.since;
  serve(lock);
  return true;
}

void release_permits(Coroutine& coroutine, size_t keep) {
  while (coroutine.permits && coroutine.permits->size() > keep) {
    Value permit = std::move(coroutine.permits->back());
    coroutine.permits->pop_back();
    release_permit(*as_permit(permit));
  }
}

}  // namespace harn::vm
