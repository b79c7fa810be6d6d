#include "vm/channel.h"

#include <mutex>

#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

namespace {

void display_channel(std::string& out, const HandleObject* handle) {
  out += "<channel:";
  out += static_cast<const Channel*>(handle)->name;
  out += '>';
}

void drop_channel(HandleObject* handle) { channel_close(*static_cast<Channel*>(handle)); }

constexpr uint64_t kPlain = UINT64_MAX;  // Waiter::number of a task that waits for this channel only

// What select answers. Made by whoever has the value: the keys are the same everywhere.
Value selected(uint64_t index, Value value, const Channel& channel) {
  static Shape* const shape = empty_shape()->with(intern("index"))->with(intern("value"))->with(intern("channel"));
  auto dict = new_dict(shape);
  dict->slots()[0] = Value::integer(static_cast<int64_t>(index));
  dict->slots()[1] = std::move(value);
  dict->slots()[2] = text_value(channel.name);
  return dict;
}

// With the lock held: gives the value to a receiver that waits. False when there is none.
bool hand_over(Channel& channel, Value& value) {
  Waiter* waiter = channel.receivers.take();
  if (!waiter) return false;
  bool is_plain = waiter->number == kPlain;
  waiter->task->scheduler->answer(*waiter->task,
                                  is_plain ? std::move(value) : selected(waiter->number, std::move(value), channel));
  return true;
}

// With the lock held: the value of a sender that waits; the sender goes on.
bool take_from_sender(Channel& channel, Value& value) {
  Waiter* waiter = channel.senders.take();
  if (!waiter) return false;
  value = std::move(waiter->value);
  waiter->task->scheduler->answer(*waiter->task, Value::boolean(true));
  return true;
}

bool take_locked(Channel& channel, Value& item) {
  if (channel.items.empty()) return take_from_sender(channel, item);
  Value next;
  if (!channel.senders.empty() && take_from_sender(channel, next)) item = channel.items.exchange(std::move(next));
  else item = channel.items.pop();
  return true;
}

void enter(WaitQueue& queue, Waiter& waiter, Task& task, uint64_t ticket, uint64_t number) {
  waiter.task = &task;
  waiter.ticket = ticket;
  waiter.number = number;
  queue.push(waiter);
}

}  // namespace

void ValueRing::grow() {
  std::vector<Value> larger(slots_.empty() ? 4 : slots_.size() * 2);
  for (size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
  slots_ = std::move(larger);
  first_ = 0;
}

static void empty_channel(HandleObject* handle) {
  auto* channel = static_cast<Channel*>(handle);
  while (!channel->items.empty()) channel->items.pop();
}

constinit const HandleType kChannelType = {.name = "channel",
                                           .destroy = destroy_handle<Channel>,
                                           .display = display_channel,
                                           .drop = drop_channel,
                                           .empty = empty_channel};

Value new_channel(std::string_view name, size_t capacity) {
  auto channel = new_handle<Channel>(kChannelType);
  channel->name = name;
  channel->capacity = capacity;
  return channel;
}

std::unexpected<Thrown> channel_closed(std::string_view builtin) {
  return throw_text(ErrorKind::Closed, "ChannelClosed: {} on a closed channel", builtin);
}

bool channel_take(Task&, Channel& channel, Value& item) {
  std::lock_guard lock(channel.lock);
  return take_locked(channel, item);
}

Received channel_receive(Task& task, const Value& value, Value& item) {
  task.talk();
  Channel& channel = *as_channel(value);
  std::lock_guard lock(channel.lock);
  if (take_locked(channel, item)) return Received::Value;
  if (channel.closed) return Received::Closed;
  uint64_t ticket = task.begin_wait("receive", &value);
  enter(channel.receivers, task.life->waiter, task, ticket, kPlain);
  return Received::Parked;
}

Step channel_send(WaitCall& call, Channel& channel, Value value) {
  if (value.is_heap()) {
    auto given = transfer(std::move(value));
    if (!given) return call.fail(std::move(given).error());
    value = std::move(*given);
  }
  call.task().talk();
  std::lock_guard lock(channel.lock);
  if (channel.closed) return call.fail(channel_closed("send"));
  if (hand_over(channel, value)) return call.done(Value::boolean(true));
  // Also while its sender waits: whoever makes room puts it in.
  if (may_hold_handles(value)) call.vm().holders().note(&channel, channel.noted_in);
  if (channel.items.size() < channel.capacity) {
    channel.items.push(std::move(value));
    return call.done(Value::boolean(true));
  }
  Task& task = call.task();
  uint64_t ticket = task.begin_wait("send", &call.arg(0));
  task.life->waiter.value = std::move(value);
  enter(channel.senders, task.life->waiter, task, ticket, 0);
  return Step::Parked;
}

Step quick_send(Task& task, const Value& first, Value* others, uint32_t count, Value& result) {
  Channel* channel = count == 2 && !others[0].is_heap() ? as_channel(first) : nullptr;
  if (!channel) return Step::Failed;
  task.talk();
  {
    std::lock_guard lock(channel->lock);
    if (channel->closed) return Step::Failed;
    if (!hand_over(*channel, others[0])) {
      if (channel->items.size() >= channel->capacity) {
        uint64_t ticket = task.begin_wait("send", &first, true);
        task.life->waiter.value = std::move(others[0]);
        enter(channel->senders, task.life->waiter, task, ticket, 0);
        return Step::Parked;
      }
      channel->items.push(std::move(others[0]));
    }
  }
  result = Value::boolean(true);
  return Step::Done;
}

Step quick_receive(Task& task, const Value& first, Value*, uint32_t count, Value& result) {
  Channel* channel = count == 1 ? as_channel(first) : nullptr;
  if (!channel) return Step::Failed;
  task.talk();
  Value item;
  {
    std::lock_guard lock(channel->lock);
    if (!take_locked(*channel, item)) {
      if (channel->closed) return Step::Failed;
      uint64_t ticket = task.begin_wait("receive", &first, true);
      enter(channel->receivers, task.life->waiter, task, ticket, kPlain);
      return Step::Parked;
    }
  }
  // Only now: this may be the last use of the channel.
  result = std::move(item);
  return Step::Done;
}

void channel_close(Channel& channel) {
  std::lock_guard lock(channel.lock);
  if (channel.closed) return;
  channel.closed = true;
  while (Waiter* waiter = channel.receivers.take()) {
    // A select has other channels to look at.
    Wake reason = waiter->number == kPlain ? Wake::Closed : Wake::Retry;
    waiter->task->scheduler->go_on(*waiter->task, reason);
  }
  while (Waiter* waiter = channel.senders.take()) waiter->task->scheduler->go_on(*waiter->task, Wake::Closed);
}

Step channel_select(WaitCall& call, std::span<const Value> channels, bool may_wait, Nanoseconds due) {
  Task& task = call.task();
  task.talk();
  bool all_closed = true;
  for (size_t i = 0; i < channels.size(); ++i) {
    Channel& channel = *as_channel(channels[i]);
    std::lock_guard lock(channel.lock);
    Value item;
    if (take_locked(channel, item)) return call.done(selected(i, std::move(item), channel));
    if (!channel.closed) all_closed = false;
  }
  if (all_closed || !may_wait) return call.done({});
  uint64_t ticket = task.begin_wait("select", channels.size() == 1 ? &channels[0] : nullptr);
  if (!task.life->more_waiters) task.life->more_waiters = new std::deque<Waiter>;
  for (size_t i = 0; i < channels.size(); ++i) task.life->more_waiters->emplace_back();
  for (size_t i = 0; i < channels.size(); ++i) {
    Channel& channel = *as_channel(channels[i]);
    std::lock_guard lock(channel.lock);
    if (channel.closed && channel.items.empty()) continue;
    if (!channel.items.empty() || !channel.senders.empty()) {
      // Something came since we looked. If nobody else woke us by now, ask again.
      task.scheduler->wake(task, ticket, Wake::Retry);
      break;
    }
    enter(channel.receivers, (*task.life->more_waiters)[i], task, ticket, i);
  }
  if (due != kNever) task.scheduler->set_timeout(task, ticket, due);
  return Step::Parked;
}

}  // namespace harn::vm
