// event_log.*: arguments to requests, events to dicts. The streams of `event_log.subscribe` are in
// src/std/prelude/event_log.harn.
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "builtins/parking.h"
#include "builtins/stored_json.h"
#include "data/json.h"
#include "effects/event_log.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::AppendEvent;
using effects::Run;

constexpr size_t kLongestTopic = 512;
constexpr int64_t kMostAtOnce = 10'000;

Run& run_of(Call& call) { return Run::current(call.vm()); }

// The function that the program has called, for messages: streams ask for their events by one of ours.
std::string_view by(Call& call) {
  constexpr std::string_view kStream = "__event_log_next";
  return call.row().name == kStream ? "event_log.subscribe" : call.row().name;
}

// ---- arguments ----

Outcome<std::string> name_of(Call& call, const Value& value, std::string_view what) {
  if (!value.is_string()) {
    return type_error("{}: {} must be a string, got {}", by(call), what, type_name(value));
  }
  std::string_view name = value.as_string()->view();
  if (name.empty()) return throw_text(ErrorKind::Invalid, "{}: {} must not be empty", by(call), what);
  if (name.size() > kLongestTopic) {
    return throw_text(ErrorKind::Limit, "{}: {} has {} bytes, at most {} are possible", by(call), what, name.size(),
                      kLongestTopic);
  }
  return std::string(name);
}

Outcome<std::string> topic_of(Call& call) { return name_of(call, call.arg(0), "topic"); }

Outcome<std::string> headers_of(Call& call, const Value& value) {
  if (value.is_nil()) return "{}";
  if (!value.is_dict()) return type_error("{}: headers must be a dict, got {}", call.row().name, type_name(value));
  std::string out;
  for (auto [key, text] : value.as_dict()->entries()) {
    out += out.empty() ? '{' : ',';
    data::append_json_string(out, key->view());
    out += ':';
    data::append_json_string(out, display(*text));
  }
  return out.empty() ? "{}" : out + "}";
}

// A field of a dict of options, which may be missing: a whole number from 0 on.
Outcome<std::optional<uint64_t>> count_in(Call& call, const Value& options, std::string_view name) {
  const Value* found = options.is_nil() ? nullptr : options.as_dict()->find(name);
  if (!found || found->is_nil()) return std::nullopt;
  if (found->is_int() && found->as_int() >= 0) return static_cast<uint64_t>(found->as_int());
  return throw_text(ErrorKind::Invalid, "{}: {} is {}, expected a whole number of 0 or more", call.row().name, name,
                    display(*found));
}

Outcome<Value> known_options(Call& call, uint32_t place) {
  const Value& options = call.arg(place);
  if (!options.is_nil() && !options.is_dict())
    return type_error("{}: options must be a dict, got {}", call.row().name, type_name(options));
  HARN_CHECK(options_of(call, place));
  return options;
}

Outcome<AppendEvent> event_of(Call& call) {
  std::string topic = HARN_TRY(topic_of(call));
  std::string kind = HARN_TRY(name_of(call, call.arg(1), "kind"));
  std::string payload = HARN_TRY(stored_json(call.row().name, call.arg(2), "payload"));
  return AppendEvent{.topic = std::move(topic), .kind = std::move(kind), .payload = std::move(payload)};
}

// ---- appending ----

Outcome<Value> emit(Call& call) {
  auto event = HARN_TRY(event_of(call));
  event.headers = HARN_TRY(headers_of(call, call.arg(3)));
  auto appended = HARN_TRY(effects::perform(run_of(call), event));
  return Value::integer(static_cast<int64_t>(appended.id));
}

Outcome<Value> append(Call& call) {
  auto event = HARN_TRY(event_of(call));
  Value options = HARN_TRY(known_options(call, 3));
  if (!options.is_nil()) {
    const DictObject* given = options.as_dict();
    if (const Value* headers = given->find("headers")) event.headers = HARN_TRY(headers_of(call, *headers));
    const Value* id = given->find("id");
    if (id && !id->is_nil()) event.key = HARN_TRY(name_of(call, *id, "id"));
    if (auto expected = HARN_TRY(count_in(call, options, "expected_last"))) {
      event.compares = true;
      event.expected_last = *expected;
    }
  }
  auto appended = HARN_TRY(effects::perform(run_of(call), event));
  return DictBuilder()
      .add("id", Value::integer(static_cast<int64_t>(appended.id)))
      .add("inserted", Value::boolean(appended.how == AppendEvent::How::New))
      .add("duplicate", Value::boolean(appended.how == AppendEvent::How::Known))
      .add("conflict", Value::boolean(appended.how == AppendEvent::How::Conflict))
      .done();
}

// For the runtime's own events: what they are about goes on when they cannot be kept. The answer is why, or nil; a policy
// that allows no events is no reason to complain.
Outcome<Value> note(Call& call) {
  auto event = event_of(call);
  if (event && !call.arg(3).is_nil()) event->headers = HARN_TRY(headers_of(call, call.arg(3)));
  auto appended =
      event ? effects::perform(run_of(call), *event) : Outcome<AppendEvent::Answer>(std::unexpected(event.error()));
  if (appended) return Value();
  const ErrorObject& error = *appended.error();
  if (!catchable(error)) return std::unexpected(std::move(appended).error());
  return error.error_kind == ErrorKind::Denied ? Value() : text_value(describe(error));
}

Outcome<Value> event_log_emit(Call& call) {
  return throw_text(ErrorKind::Unsupported,
                    "{}: only available while a connector export runs; use event_log.emit elsewhere", call.row().name);
}

Outcome<Value> retain(Call& call) {
  effects::RetainEvents request{.topic = HARN_TRY(topic_of(call))};
  Value options = HARN_TRY(known_options(call, 1));
  constexpr uint64_t kMost = INT64_MAX;
  request.max_age_ms = static_cast<int64_t>(HARN_TRY(count_in(call, options, "max_age_ms")).value_or(0) & kMost);
  request.max_count = HARN_TRY(count_in(call, options, "max_count")).value_or(0);
  request.max_bytes = HARN_TRY(count_in(call, options, "max_bytes")).value_or(0);
  return Value::integer(static_cast<int64_t>(HARN_TRY(effects::perform(run_of(call), request))));
}

// ---- reading ----

Outcome<Value> kept_value(Call& call, std::string_view json) {
  auto parsed = data::parse_json(json);
  if (parsed) return *std::move(parsed);
  return runtime_error(ErrorKind::Io, "{}: the payload of an event is not valid JSON: {}", by(call),
                       parsed.error().text());
}

Outcome<Value> event_value(Call& call, const std::string& topic, const effects::LoggedEvent& event) {
  Value id = Value::integer(static_cast<int64_t>(event.id));
  return DictBuilder()
      .add("id", id)
      .add("cursor", id)
      .add("topic", text_value(topic))
      .add("kind", text_value(event.kind))
      .add("payload", HARN_TRY(kept_value(call, event.payload)))
      .add("headers", HARN_TRY(kept_value(call, event.headers)))
      .add("occurred_at_ms", Value::integer(event.at_ms))
      .done();
}

Outcome<Value> read_events(Call& call, const effects::ReadEvents& request) {
  auto events = HARN_TRY(effects::perform(run_of(call), request));
  auto out = new_list(events.size());
  for (const auto& event : events) out->push(HARN_TRY(event_value(call, request.topic, event)));
  return Value(std::move(out));
}

Outcome<Value> read(Call& call) {
  effects::ReadEvents request{.topic = HARN_TRY(topic_of(call))};
  Value options = HARN_TRY(known_options(call, 1));
  request.after = HARN_TRY(count_in(call, options, "from_cursor")).value_or(0);
  uint64_t limit = HARN_TRY(count_in(call, options, "limit")).value_or(1000);
  if (limit < 1 || limit > kMostAtOnce) {
    return throw_text(ErrorKind::Invalid, "{}: limit is {}, expected 1 to {}", call.row().name, limit, kMostAtOnce);
  }
  request.most = static_cast<uint32_t>(limit);
  return read_events(call, request);
}

Outcome<Value> next_events(Call& call) {
  constexpr uint32_t kMostAhead = 10'000;  // of which the log's settings take less
  return read_events(call, {.topic = HARN_TRY(topic_of(call)),
                            .after = static_cast<uint64_t>(HARN_TRY(call.integer(1))),
                            .most = kMostAhead,
                            .waits = true});
}

Outcome<Value> latest(Call& call) {
  uint64_t id = HARN_TRY(effects::perform(run_of(call), effects::LatestEvent{HARN_TRY(topic_of(call))}));
  return id == 0 ? Value() : Value::integer(static_cast<int64_t>(id));
}

Outcome<Value> topics(Call& call) {
  auto found = HARN_TRY(effects::perform(run_of(call), effects::ListTopics{}));
  auto out = new_list(found.size());
  for (const auto& topic : found) {
    out->push(DictBuilder()
                  .add("name", text_value(topic.name))
                  .add("first", Value::integer(static_cast<int64_t>(topic.first)))
                  .add("last", Value::integer(static_cast<int64_t>(topic.last)))
                  .add("bytes", Value::integer(static_cast<int64_t>(topic.bytes)))
                  .done());
  }
  return Value(std::move(out));
}

// ---- programs that are put away ----

void event_fields(park::Archive& archive, effects::LoggedEvent& event) {
  archive.number(event.id);
  archive.text(event.kind);
  archive.text(event.payload);
  archive.text(event.headers);
  archive.text(event.key);
  archive.number(event.at_ms);
}

// A log in memory goes with its program; one in a file stays where it is.
void log_fields(park::Archive& archive, Vm& vm) {
  std::vector<effects::CarriedTopic> topics;
  if (!archive.is_reading()) topics = effects::carried_topics(vm);
  archive.items(topics, [&](effects::CarriedTopic& topic) {
    archive.text(topic.topic.name);
    archive.number(topic.topic.first);
    archive.number(topic.topic.last);
    archive.number(topic.max_age_ms);
    archive.number(topic.max_count);
    archive.number(topic.max_bytes);
    archive.items(topic.events, [&](effects::LoggedEvent& event) { event_fields(archive, event); });
  });
  if (!archive.is_reading() || topics.empty() || !archive.is_good()) return;
  if (!effects::carry_topics(vm, std::move(topics))) archive.fail("the event log makes no sense");
}

constinit const Builtin kRows[] = {
    {.name = "__event_log_next",
     .signature = "(topic: string, after: int) -> list",
     .doc = "Waits for events behind a cursor.",
     .example = R"(unwrap_err(try { deadline 1 { __event_log_next("t", 0) } }) == "Deadline exceeded")",
     .needs = Capability::EventRead,
     .wait = on_fiber<next_events>},
    {.name = "__event_log_note",
     .signature = "(topic: string, kind: string, payload: any, headers?: dict) -> string?",
     .doc = "Appends an event of the runtime's own; returns why it could not.",
     .example = R"(__event_log_note("t", "k", 1) == nil)",
     .wait = on_fiber<note>},
    {.name = "event_log.append",
     .signature = "(topic: string, kind: string, payload?: any, options?: {id?: any, expected_last?: int, headers?: "
                  "dict}) -> dict",
     .doc = "Appends an event once for each `id` of the options, or only behind `expected_last`: {id, inserted, "
            "duplicate, conflict}.",
     .example = R"(event_log.append("t", "k", 1, {expected_last: 0}).inserted)",
     .needs = Capability::EventAppend,
     .wait = on_fiber<append>},
    {.name = "event_log.emit",
     .signature = "(topic: string, kind: string, payload?: any, headers?: dict) -> int",
     .doc = "Appends an event to a topic of the event log and returns its id, once it is durable.",
     .example = R"(event_log.emit("t", "k", {n: 1}) == 1)",
     .needs = Capability::EventAppend,
     .wait = on_fiber<emit>},
    {.name = "event_log.latest",
     .signature = "(topic: string) -> int?",
     .doc = "Returns the id of a topic's last event, or nil.",
     .example = R"(event_log.latest("t") == nil)",
     .needs = Capability::EventRead,
     .wait = on_fiber<latest>},
    {.name = "event_log.read",
     .signature = "(topic: string, options?: {from_cursor?: int, limit?: int}) -> list<dict>",
     .doc = "Returns events behind `from_cursor` (0), at most `limit` (1000), oldest first.",
     .example = R"(event_log.read("t") == [])",
     .needs = Capability::EventRead,
     .wait = on_fiber<read>},
    {.name = "event_log.retain",
     .signature = "(topic: string, options: {max_count?: int, max_bytes?: int, max_age_ms?: int}) -> int",
     .doc =
         "From now on a topic keeps no more than `max_count`, `max_bytes`, `max_age_ms`; returns how many events went.",
     .example = R"(event_log.retain("t", {max_count: 10}) == 0)",
     .needs = Capability::EventAppend,
     .wait = on_fiber<retain>},
    {.name = "event_log.subscribe",
     .signature = "(topic: string | dict, cursor?: int) -> Stream<dict>",
     .doc = "Yields the events of a topic behind a cursor, and waits for more: {id, cursor, topic, kind, payload, "
            "headers, "
            "occurred_at_ms}.",
     .example = R"({ -> event_log.emit("t", "k")
stream.first(event_log.subscribe("t")).kind }() == "k")",
     .prelude = "event_log:event_log_subscribe"},
    {.name = "event_log.topics",
     .signature = "() -> list<dict>",
     .doc = "Returns {name, first, last, bytes} of all topics, by name.",
     .example = "event_log.topics() == []",
     .needs = Capability::EventRead,
     .wait = on_fiber<topics>},
    {.name = "event_log_emit",
     .signature = "(topic: string, kind: string, payload: any, headers?: dict) -> int",
     .doc = "Appends an event from inside a connector export; fails anywhere else.",
     .example = R"(unwrap_err(try { event_log_emit("t", "k", nil) }).starts_with("event_log_emit: only available"))",
     .call = event_log_emit},
};

}  // namespace

const park::PartRow kEventLogPart = {"event log", log_fields};

std::span<const vm::Builtin> event_log_rows() { return kRows; }

}  // namespace harn::builtins
