#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin_lock.h"
#include "vm/value.h"

// Queues of waiting tasks. Channels, locks, mailboxes and task handles each have some; a task that
// waits in several at once (select) is taken by whoever claims it first.
namespace harn::vm {

struct Task;
class WaitQueue;

// Why a parked task goes on.
enum class Wake : uint8_t {
  Value,      // what it waited for is there
  Error,      // what it waited for failed
  Closed,     // what it waited for can never come: a loop ends, receive raises ChannelClosed
  Retry,      // something changed: ask again
  Timeout,    // the time it was willing to wait is over
  Cancelled,  // it was asked to stop
  Deadline,   // a deadline around it passed
};

struct WaiterLink {
  WaiterLink* previous = nullptr;
  WaiterLink* next = nullptr;
};

// One task's place in one queue. Lives in the task.
struct Waiter : WaiterLink {
  Task* task = nullptr;
  uint64_t ticket = 0;                     // which of the task's waits this is
  std::atomic<WaitQueue*> queue{nullptr};  // null: not in a queue (any more); set with its lock held
  Value value;                             // what it brings (a sender's value) or keeps alive
  uint64_t number = 0;                     // what it wants: permits, the place in a select
};

// First come, first served. All calls with the owner's lock held.
class WaitQueue {
 public:
  explicit WaitQueue(SpinLock& lock) : lock_(lock) { ends_.previous = ends_.next = &ends_; }
  WaitQueue(const WaitQueue&) = delete;

  bool empty() const { return ends_.next == &ends_; }
  Waiter* front() { return empty() ? nullptr : static_cast<Waiter*>(ends_.next); }
  void push(Waiter& waiter) {
    waiter.queue.store(this, std::memory_order_release);
    waiter.previous = ends_.previous;
    waiter.next = &ends_;
    ends_.previous->next = &waiter;
    ends_.previous = &waiter;
  }
  void remove(Waiter& waiter) {
    waiter.previous->next = waiter.next;
    waiter.next->previous = waiter.previous;
    waiter.queue.store(nullptr, std::memory_order_release);
  }
  // In their order.
  template <class Visit>
  void each(Visit visit) {
    for (WaiterLink* at = ends_.next; at != &ends_; at = at->next) visit(*static_cast<Waiter*>(at));
  }
  // Takes out the first waiter whose wait nobody else has ended; null when there is none. The task is
  // the caller's to answer and to make ready.
  Waiter* take();
  SpinLock& lock() { return lock_; }

  // Called when a waiter gave up (time, cancellation), after it was taken out, without the lock.
  void (*left)(WaitQueue& queue, Waiter& waiter, Wake reason) = nullptr;
  void* owner = nullptr;

 private:
  SpinLock& lock_;
  WaiterLink ends_;
};

}  // namespace harn::vm
