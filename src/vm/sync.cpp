#include "vm/sync.h"

#include <mutex>

#include "base/fmt.h"
#include "vm/dict.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

namespace {

// Waiter::number of a task that waits to enter a `mutex` block.
constexpr uint64_t kForBlock = UINT64_MAX;
uint64_t amount_of(const Waiter& waiter) { return waiter.number == kForBlock ? 1 : waiter.number; }

// For the metrics.
inline Nanoseconds time_since(const Lock& lock, Nanoseconds start) {
  return lock.locks ? std::max<Nanoseconds>(0, lock.locks->scheduler().recent_time() - start) : 0;
}

void display_permit(std::string& out, const HandleObject* handle) {
  auto* permit = static_cast<const Permit*>(handle);
  out += "<sync_permit:" + permit->lock->kind + ":" + permit->lock->key + ">";
}

void drop_permit(HandleObject* handle) { release_permit(*static_cast<Permit*>(handle)); }

inline HeldPermits& permits_of(Task& task) {
  auto& permits = task.current->permits;
  if (!permits) permits = std::make_unique<HeldPermits>();
  return *permits;
}

void count_grant(Lock& lock, uint64_t amount) {
  lock.available -= amount;
  lock.count_acquired();
}

// With the lock held: the task has its permits from now on.
Value grant(LockUse use, Task& task, uint64_t amount) {
  Lock& lock = *use;
  count_grant(lock, amount);
  auto permit = new_handle<Permit>(kPermitType);
  permit->lock = std::move(use);
  permit->amount = amount;
  permit->owner = task.id;
  permit->since = lock.locks->scheduler().recent_time();
  HeldPermit held;
  held.permit = Ref<Permit>(permit).detach();
  permits_of(task).add(held);
  return permit;
}

// The same for a `mutex` block, which nobody has a permit of: how many were held before.
int64_t grant_block(Lock& lock, Task& task) {
  HeldPermits& permits = permits_of(task);
  --lock.available;
  take_block(lock, task, permits, task.scheduler->recent_time());
  return static_cast<int64_t>(permits.size() - 1);
}

// With the lock held: as many of the first tasks in line as there are permits for. A large request at
// the front holds up small ones behind it, so that it cannot starve.
void serve(Lock& lock) {
  while (Waiter* waiter = lock.waiting.front()) {
    if (amount_of(*waiter) > lock.available) return;
    Task& task = *waiter->task;
    // If it gives up at this moment, `left` counts it out and asks again.
    if (!task.claim(waiter->ticket)) return;
    lock.waiting.remove(*waiter);
    --lock.metrics.queued;
    lock.metrics.waited += time_since(lock, task.wait_until);
    // It goes on with the use that it has waited with.
    bool is_block = waiter->number == kForBlock;
    Value answer =
        is_block ? Value::integer(grant_block(lock, task)) : grant(LockUse::adopt(&lock), task, waiter->number);
    task.scheduler->answer(task, std::move(answer));
  }
}

// A task gave up. If it was the first in line, those behind it may go on.
void left(WaitQueue& queue, Waiter& waiter, Wake reason) {
  Lock& lock = *static_cast<Lock*>(queue.owner);
  LockUse use;
  if (waiter.number != kForBlock) use = LockUse::adopt(&lock);
  std::lock_guard guard(lock.guard);
  --lock.metrics.queued;
  (reason == Wake::Timeout ? lock.metrics.timeouts : lock.metrics.cancellations)++;
  lock.metrics.waited += time_since(lock, waiter.task->wait_until);
  serve(lock);
}

// With the lock held.
Step wait_in_line(WaitCall& call, Lock& lock, uint64_t number, Nanoseconds due) {
  Task& task = call.task();
  lock.metrics.most_queued = std::max(lock.metrics.most_queued, ++lock.metrics.queued);
  task.wait_until = task.scheduler->recent_time();  // when it began
  uint64_t ticket = task.wait_in(lock.waiting, "sync acquire", &lock.label, number, due == kNever);
  if (due != kNever) call.scheduler().set_timeout(task, ticket, due);
  return Step::Parked;
}

// With the lock held: others wait for a block that the running task has just left quickly. It stays taken until
// the task looks up.
void owe(Lock& lock, Task& task) {
  task.home->owed.push_back(&lock);
  lock.owed_by.store(&task, std::memory_order_relaxed);
  lock.is_inside = false;
}

[[gnu::always_inline]] inline void leave_block(Lock& lock, Nanoseconds since) {
  Task* task = this_worker ? this_worker->running : nullptr;
  // Time is seen to pass where a task looks up.
  bool was_quick = task && task->moment() == lock.entered_at;
  if (task && lock.is_owed_by(*task)) {
    lock.is_inside = false;
    if (!was_quick) task->home->let_others_in();
    return;
  }
  std::lock_guard guard(lock.guard);
  if (!was_quick) [[unlikely]]
    lock.metrics.held_time += time_since(lock, since);
  if (was_quick && !lock.waiting.empty()) return owe(lock, *task);
  ++lock.available;
  serve(lock);
}

}  // namespace

constinit const HandleType kPermitType = {"sync_permit", destroy_handle<Permit>, display_permit, drop_permit};

Lock::Lock(Locks& locks, std::string_view kind, std::string_view key, uint64_t capacity)
    : locks(&locks),
      kind(kind),
      key(key),
      capacity(capacity),
      label(text_value(fmt::format("{} '{}'", kind, key))),
      available(capacity) {
  freeze(label);  // tasks on other workers show it
  waiting.owner = this;
  waiting.left = left;
}

Value Lock::show() {
  std::lock_guard hold(guard);
  auto number = [](int64_t value) { return Value::integer(value); };
  auto held = static_cast<int64_t>(capacity - available);
  return DictBuilder()
      .add("kind", text_value(kind))
      .add("key", text_value(key))
      .add("capacity", number(static_cast<int64_t>(capacity)))
      .add("acquisition_count", number(metrics.acquired))
      .add("timeout_count", number(metrics.timeouts))
      .add("cancellation_count", number(metrics.cancellations))
      .add("release_count", number(capacity == 1 ? metrics.acquired - held : metrics.released))
      .add("current_held", number(held))
      .add("current_queue_depth", number(metrics.queued))
      .add("max_queue_depth", number(metrics.most_queued))
      .add("total_wait_ms", number(metrics.waited / kMillisecond))
      .add("total_held_ms", number(metrics.held_time / kMillisecond))
      .done();
}

HeldPermits::~HeldPermits() {
  for (; size_ > 0; drop_last()) {
    if (!last().block) Ref<HandleObject>::adopt(last().permit);
  }
}

// ---- all locks ----

LockUse::~LockUse() {
  if (!lock_) return;
  if (lock_->locks) lock_->locks->leave(*lock_);
  else if (--lock_->users == 0) delete lock_;
}

// Permits and generators that only cycles of values keep alive are freed after everything else.
Locks::~Locks() {
  for (auto& [name, lock] : locks_) {
    if (lock->is_of_block && lock->available != 0) --lock->users;
    if (lock->users == 0) continue;
    lock->locks = nullptr;
    lock.release();
  }
}

Lock& Locks::ensure(std::string_view kind, std::string_view key, uint64_t capacity) {
  auto found = locks_.find(Name(kind, key));
  if (found != locks_.end()) return *found->second;
  auto lock = std::make_unique<Lock>(*this, kind, key, capacity);
  Name name(lock->kind, lock->key);
  unused_.push_back(lock.get());
  lock->unused_place = std::prev(unused_.end());
  return *locks_.emplace(name, std::move(lock)).first->second;
}

LockUse Locks::use(Lock& lock) {
  if (lock.users++ == 0) unused_.erase(lock.unused_place);
  return LockUse::adopt(&lock);
}

void Locks::leave(Lock& lock) {
  std::unique_ptr<Lock> forgotten;  // freed without the guard
  std::lock_guard hold(guard_);
  if (--lock.users != 0) return;
  unused_.push_back(&lock);
  lock.unused_place = std::prev(unused_.end());
  if (unused_.size() <= kUnusedKept) return;
  auto oldest = locks_.find(Name(unused_.front()->kind, unused_.front()->key));
  unused_.pop_front();
  forgotten = std::move(oldest->second);
  locks_.erase(oldest);
}

Outcome<LockUse> Locks::find(std::string_view kind, std::string_view key, uint64_t capacity) {
  std::lock_guard hold(guard_);
  Lock& lock = ensure(kind, key, capacity);
  if (lock.capacity != capacity) {
    return runtime_error(ErrorKind::Invalid, "sync {} '{}' already exists with capacity {}, not {}", kind, key,
                         lock.capacity, capacity);
  }
  return use(lock);
}

LockUse Locks::find(std::string_view kind, std::string_view key) {
  std::lock_guard hold(guard_);
  auto found = locks_.find(Name(kind, key));
  return found == locks_.end() ? LockUse() : use(*found->second);
}

std::vector<LockUse> Locks::all(std::string_view kind) {
  std::lock_guard hold(guard_);
  std::vector<LockUse> out;
  for (auto& [name, lock] : locks_) {
    if (kind.empty() || name.first == kind) out.push_back(use(*lock));
  }
  return out;
}

const Builtin& Locks::wait_row() {
  const Builtin* known = wait_row_.load(std::memory_order_relaxed);
  if (!known) wait_row_.store(known = scheduler_.vm().builtins().find("__mutex_enter"), std::memory_order_relaxed);
  return *known;
}

// Used for ever from the first time on, so that blocks need not count who uses it.
Lock& Locks::find_block(std::string_view key) {
  std::lock_guard hold(guard_);
  Lock& lock = ensure("mutex", key, 1);
  if (!std::exchange(lock.is_of_block, true)) use(lock).detach();
  return lock;
}

// ---- taking and giving back ----

Step acquire(WaitCall& call, LockUse use, uint64_t amount, Nanoseconds due) {
  Lock& lock = *use;
  if (amount > lock.capacity) {
    return call.fail(runtime_error(ErrorKind::Invalid, "sync {} '{}' requested {} permits from capacity {}", lock.kind,
                                   lock.key, amount, lock.capacity));
  }
  call.task().talk();
  let_others_in();  // into blocks of the same name
  std::lock_guard guard(lock.guard);
  if (lock.waiting.empty() && lock.available >= amount) return call.done(grant(std::move(use), call.task(), amount));
  if (due <= call.scheduler().clock().now()) {
    ++lock.metrics.timeouts;
    return call.done({});
  }
  use.detach();  // the waiter's from now on
  return wait_in_line(call, lock, amount, due);
}

// The place in the code remembers the lock; a unit belongs to one program.
static Lock& lock_of(Task& task, InlineCache& place) {
  uint64_t known = place.found();
  if (known != InlineCache::kEmpty) [[likely]]
    return *reinterpret_cast<Lock*>(known);
  Lock& lock = task.scheduler->locks().find_block(place.name->view());
  place.publish(reinterpret_cast<uint64_t>(&lock));
  return lock;
}

bool enter_block(Task& task, InlineCache& place, Value& held) {
  Lock& lock = lock_of(task, place);
  task.talk();
  std::lock_guard guard(lock.guard);
  if (lock.is_free()) [[likely]] {
    held.set_int(grant_block(lock, task));
    return true;
  }
  held.set_int(reinterpret_cast<intptr_t>(&lock));
  return false;
}

Step wait_for_block(WaitCall& call) {
  Lock& lock = *reinterpret_cast<Lock*>(call.arg(0).as_int());
  std::lock_guard guard(lock.guard);
  if (lock.waiting.empty() && lock.available != 0) return call.done(Value::integer(grant_block(lock, call.task())));
  return wait_in_line(call, lock, kForBlock, kNever);
}

void serve_owed(Worker& worker) {
  for (Lock* lock : std::exchange(worker.owed, {})) {
    std::lock_guard guard(lock->guard);
    lock->owed_by.store(nullptr, std::memory_order_relaxed);
    if (lock->is_inside) continue;  // it will be left as any other
    ++lock->available;
    serve(*lock);
  }
}

void let_others_in() {
  Worker* worker = this_worker;
  if (!worker) return;
  if (worker->running) ++worker->running->looks;
  worker->let_others_in();
}

bool release_permit(Permit& permit) {
  if (permit.released.exchange(true)) return false;
  Lock& lock = *permit.lock;
  std::lock_guard guard(lock.guard);
  lock.available += permit.amount;
  lock.metrics.released++;
  lock.metrics.held_time += time_since(lock, permit.since);
  serve(lock);
  return true;
}

void leave_block(Coroutine& coroutine, size_t keep) {
  if (coroutine.permits->size() != keep + 1) [[unlikely]]
    return release_permits(coroutine, keep);
  HeldPermit held = coroutine.permits->take_last();
  leave_block(*held.block, held.since);
}

void release_permits(Coroutine& coroutine, size_t keep) {
  while (coroutine.permits && coroutine.permits->size() > keep) {
    HeldPermit held = coroutine.permits->take_last();
    if (held.block) leave_block(*held.block, held.since);
    else release_permit(*Ref<Permit>::adopt(static_cast<Permit*>(held.permit)));
  }
}

}  // namespace harn::vm
