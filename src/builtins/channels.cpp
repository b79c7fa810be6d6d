#include "vm/channel.h"
#include "vm/cycles.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/wait_time.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kDefaultCapacity = 256;

Outcome<Value> channel(Call& call) {
  auto name = HARN_TRY(call.text_or(0, "default"));
  int64_t capacity = HARN_TRY(call.integer_or(1, kDefaultCapacity));
  if (capacity < 0)
    return runtime_error(ErrorKind::Invalid, "channel: capacity must not be negative, got {}", capacity);
  return new_channel(name, static_cast<size_t>(capacity));
}

Step send(WaitCall& call) {
  if (call.count() < 2) return call.fail(throw_text(ErrorKind::Type, "send: requires channel and value"));
  Channel* channel = as_channel(call.arg(0));
  if (!channel) return call.fail(throw_text(ErrorKind::Type, "send: first argument must be a channel"));
  return channel_send(call, *channel, call.arg(1));
}

Step receive(WaitCall& call) {
  if (call.count() < 1) return call.fail(throw_text(ErrorKind::Type, "receive: requires a channel"));
  if (!as_channel(call.arg(0)))
    return call.fail(throw_text(ErrorKind::Type, "receive: first argument must be a channel"));
  Value item;
  switch (channel_receive(call.task(), call.arg(0), item)) {
    case Received::Value: return call.done(std::move(item));
    case Received::Closed: return call.fail(channel_closed("receive"));
    case Received::Parked: break;
  }
  return Step::Parked;
}

Outcome<Value> try_receive(Call& call) {
  Channel* channel = as_channel(call.arg(0));
  if (!channel) return throw_text(ErrorKind::Type, "try_receive: first argument must be a channel");
  Value item;
  channel_take(Scheduler::current(), *channel, item);
  settle_cells(item);
  return item;
}

Outcome<Value> close(Call& call) {
  Channel* channel = as_channel(call.arg(0));
  if (!channel) return throw_text(ErrorKind::Type, "close_channel: first argument must be a channel");
  channel_close(*channel);
  return Value();
}

bool all_channels(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(), [](const Value& value) { return as_channel(value); });
}

Step select(WaitCall& call) {
  auto channels = call.args();
  if (channels.empty()) return call.fail(throw_text(ErrorKind::Type, "select: requires at least one channel"));
  if (!all_channels(channels)) return call.fail(throw_text(ErrorKind::Type, "select: all arguments must be channels"));
  return channel_select(call, channels, true, kNever);
}

// The time a select that is asked again still has.
Nanoseconds select_due(WaitCall& call, uint32_t index) {
  Task& task = call.task();
  if (!call.is_retry()) task.wait_until = wait_due(call, index);
  return task.wait_until;
}

Step select_list(WaitCall& call) {
  if (!call.arg(0).is_list()) {
    return call.fail(throw_text(ErrorKind::Type, "channel_select: first argument must be a list of channels"));
  }
  auto channels = call.arg(0).as_list()->values();
  if (!all_channels(channels)) {
    return call.fail(throw_text(ErrorKind::Type, "channel_select: channel list must contain only channels"));
  }
  return channel_select(call, channels, true, select_due(call, 1));
}

// The select statement: [channels], and nil (waits), false (does not wait) or a time.
Step select_statement(WaitCall& call) {
  auto channels = call.arg(0).as_list()->values();
  for (const Value& value : channels) {
    if (!as_channel(value)) return call.fail(type_error("select: expected a channel, got {}", type_name(value)));
  }
  const Value& time = call.arg(1);
  if (!time.is_nil() && !time.is_bool() && !time.is_int()) {
    return call.fail(type_error("select: timeout must be a duration, got {}", type_name(time)));
  }
  // Without channels only the time is left to wait for.
  return channel_select(call, channels, !time.is_bool(), select_due(call, 1));
}

constinit const Builtin kRows[] = {
    {.name = "channel",
     .signature = "(name?: string, capacity?: int) -> channel",
     .doc = "A channel between tasks, with room for `capacity` values (256; 0: a sender waits for a receiver).",
     .example = "type_of(channel(\"jobs\", 4)) == \"channel\"",
     .call = channel},
    {.name = "send",
     .signature = "<T>(channel?: channel<T>, value?: T) -> bool",
     .doc = "send(channel, value): puts a value in, waiting while the channel is full; true.",
     .example = "send(channel(), 1)",
     .wait = send,
     .quick = quick_send},
    {.name = "receive",
     .signature = "<T>(channel?: channel<T>) -> T",
     .doc = "receive(channel): takes the next value, waiting for it; raises ChannelClosed when none can come.",
     .example = "receive({ -> let c = channel(); send(c, 5); c }()) == 5",
     .wait = receive,
     .quick = quick_receive},
    {.name = "try_receive",
     .signature = "<T>(channel: channel<T>) -> T?",
     .doc = "The next value if there is one now, else nil.",
     .example = "try_receive(channel()) == nil",
     .call = try_receive},
    {.name = "close_channel",
     .signature = "(channel: channel) -> nil",
     .doc = "No more values can be sent; those inside can still be received.",
     .example = "close_channel(channel()) == nil",
     .call = close},
    {.name = "select",
     .signature = "<T>(...channels: channel<T>) -> {index: int, value: T, channel: string}?",
     .doc = "Waits for a value from any of the channels: {index, value, channel}; nil when all are closed.",
     .example = "select({ -> let c = channel(\"c\"); send(c, 5); c }()) == {index: 0, value: 5, channel: \"c\"}",
     .wait = select},
    {.name = "channel_select",
     .signature = "<T>(channels: list<channel<T>>, timeout?: duration) -> {index: int, value: T, channel: string}?",
     .doc = "Like select, for a list, and nil when `timeout` milliseconds pass.",
     .example = "channel_select([channel()], 1) == nil",
     .wait = select_list},
    {.name = "__select",
     .signature = "(channels: list, timeout: duration | bool | nil) -> any",
     .doc = "The select statement.",
     .wait = select_statement},
};

}  // namespace

std::span<const Builtin> channel_rows() { return kRows; }

}  // namespace harn::builtins
