#pragma once

#include <string>

#include "vm/builtin.h"
#include "vm/holders.h"
#include "vm/task.h"

// Channels, and what waits in them. A channel belongs to everybody who has a handle to it, on any worker: `lock` guards
// all of it. What is in it was packed by its sender (transfer.h), so taking it out is all that a receiver has to do. Nothing
// here blocks a thread: who cannot go on is parked, and answered by whoever makes room or brings a value.
namespace harn::vm {

// First in, first out. Not for several threads at once.
class ValueRing {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  Value& at(size_t number) { return slots_[(first_ + number) & (slots_.size() - 1)]; }
  void push(Value value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = std::move(value);
  }
  // Takes the first and puts another one behind the last.
  Value exchange(Value next) {
    Value value = std::move(slots_[first_]);
    slots_[(first_ + size_) & (slots_.size() - 1)] = std::move(next);
    first_ = (first_ + 1) & (slots_.size() - 1);
    return value;
  }
  Value pop() {
    Value value = std::move(slots_[first_]);
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow();
  std::vector<Value> slots_;  // the size is a power of two
  size_t first_ = 0;
  size_t size_ = 0;
};

// A queue of values between tasks. With capacity 0 a sender waits until a receiver takes the value.
struct Channel : HandleObject {
  SpinLock lock;
  std::string name;
  size_t capacity = 0;
  bool closed = false;
  ValueRing items;
  WaitQueue receivers{lock};
  WaitQueue senders{lock};
  Holders* noted_in = nullptr;  // see holders.h

  ~Channel() {
    if (noted_in) noted_in->forget(this);
  }
};

extern const HandleType kChannelType;
inline Channel* as_channel(const Value& value) { return as_handle<Channel>(value, kChannelType); }

Value new_channel(std::string_view name, size_t capacity);

enum class Received : uint8_t { Value, Closed, Parked };
// Takes the next item, or parks the task until there is one.
Received channel_receive(Task& task, const Value& channel, Value& item);
// Takes the next item if there is one now.
bool channel_take(Task& task, Channel& channel, Value& item);
void channel_close(Channel& channel);

// The error of send and receive on a closed channel.
std::unexpected<Thrown> channel_closed(std::string_view builtin);

// For Builtin::quick.
Step quick_send(Task& task, const Value& first, Value* others, uint32_t count, Value& result);
Step quick_receive(Task& task, const Value& first, Value* others, uint32_t count, Value& result);

// select: takes from the first channel that has something. `parked` waits in all of them until `due`.
// The answer is {index, value, channel}, or nil when all are closed or the time is over.
Step channel_select(WaitCall& call, std::span<const Value> channels, bool may_wait, Nanoseconds due);
Step channel_send(WaitCall& call, Channel& channel, Value value);

}  // namespace harn::vm
