// Messages and transcripts as values: adding to them, their sizes, their text. Everything that needs no speed is written in Harn
// (src/std/prelude/transcripts.harn, compaction.harn, reminders.harn, transcript_store.harn).
//
// The events of a transcript are those about the system prompt, one for each message, and then all others, in this order.
// Adding a message adds its event in that place, so that it costs the same however many there are.
#include <algorithm>

#include "base/codecs.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/message_text.h"
#include "builtins/stored_json.h"
#include "crypto/blake3.h"
#include "data/json.h"
#include "vm/claim.h"
#include "vm/dict.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;

constexpr int64_t kDefaultLimit = 20'000;  // of microcompact
constexpr size_t kHashSize = 16;

bool is_transcript(const Value& value) { return text_of(value, "_type") == "transcript"; }

// ---- events ----

size_t leading_events(const Value& events) {
  const auto& all = events.as_list()->values();
  size_t count = 0;
  while (count < all.size() && text_of(all[count], "kind") == "system_prompt") ++count;
  return count;
}

// Whether those of `count` messages are where they belong. Programs may have changed the dict; what is not so is made anew.
bool are_in_place(const Value& events, size_t leading, size_t count) {
  const auto& all = events.as_list()->values();
  size_t end = leading + count;
  if (all.size() < end) return false;
  bool ends_there = count == 0 || is_message_event(all[end - 1]);
  return ends_there && (end == all.size() || !is_message_event(all[end]));
}

// (messages, events): the events of the messages, and those of `events` that are of no message around them.
Value rebuilt_events(const Value& messages, const Value& events) {
  auto out = new_list(list_size(messages) + list_size(events));
  size_t leading = leading_events(events);
  auto others = events.as_list()->values();
  for (size_t i = 0; i < leading; ++i) out->push(others[i]);
  size_t number = 0;
  for (const Value& message : messages.as_list()->values()) out->push(message_event(message, ++number));
  for (const Value& event : others.subspan(leading)) {
    if (!is_message_event(event)) out->push(event);
  }
  return out;
}

// In place where nobody else holds the list; the events behind it are few, or there are none.
void insert(Value& list, size_t at, Value item) {
  ListObject* items = writable_list(list);
  items->push(std::move(item));
  std::rotate(items->items + at, items->items + items->size - 1, items->items + items->size);
}

// Whether a field of a transcript is a list, or missing.
Outcome<void> check_list(Call& call, const Value& transcript, std::string_view key) {
  const Value* found = transcript.as_dict()->find(key);
  if (!found || found->is_list()) return {};
  return throw_text(ErrorKind::Type, "{}: `{}` of the transcript must be a list, got {}", call.row().name, key,
                    type_name(*found));
}

Value& list_in(Value& transcript, std::string_view key) {
  if (!transcript.as_dict()->find(key)) dict_set(transcript, key, new_list());
  return *dict_slot(transcript, key);
}

Outcome<Value> with_message(Call& call, Value transcript, Value message) {
  HARN_CHECK(check_list(call, transcript, "messages"));
  HARN_CHECK(check_list(call, transcript, "events"));
  Claimed claimed(transcript, Looks::Always);
  Value& messages = list_in(transcript, "messages");
  size_t count = messages.as_list()->size;
  Value event = message_event(message, count + 1);
  writable_list(messages)->push(std::move(message));
  Value& events = list_in(transcript, "events");
  size_t leading = leading_events(events);
  if (are_in_place(events, leading, count)) insert(events, leading + count, std::move(event));
  else events = rebuilt_events(*transcript.as_dict()->find("messages"), events);
  return transcript;
}

// ---- adding ----

Outcome<Value> added(Call& call, Value message) {
  Value to = call.take(0);
  if (to.is_list()) {
    Claimed claimed(to);
    writable_list(to)->push(std::move(message));
    return to;
  }
  if (is_transcript(to)) return with_message(call, std::move(to), std::move(message));
  return throw_text(ErrorKind::Type, "{}: first argument must be a list of messages or a transcript, got {}",
                    call.row().name, type_name(to));
}

Outcome<Value> add_as(Call& call, std::string_view role, uint32_t content) {
  return added(call, DictBuilder().add("role", text_value(role)).add("content", call.take(content)).done());
}
Outcome<Value> add_user(Call& call) { return add_as(call, "user", 1); }
Outcome<Value> add_assistant(Call& call) { return add_as(call, "assistant", 1); }
Outcome<Value> add_system(Call& call) { return add_as(call, "system", 1); }

Outcome<Value> add_message(Call& call) {
  std::string role(HARN_TRY(call.text(1)));
  if (role.empty()) return throw_text(ErrorKind::Invalid, "add_message: role must not be empty");
  return add_as(call, role, 2);
}

Outcome<Value> add_tool_result(Call& call) {
  HARN_CHECK(call.text(1));
  return added(call, DictBuilder()
                         .add("role", text_value("tool_result"))
                         .add("tool_use_id", call.take(1))
                         .add("content", call.take(2))
                         .done());
}

Outcome<Value> conversation(Call&) { return Value(new_list()); }

// (messages, events)
Outcome<Value> events_of(Call& call) {
  auto messages = HARN_TRY(call.list(0));
  auto events = HARN_TRY(call.list(1));
  return rebuilt_events(Value(std::move(messages)), Value(std::move(events)));
}

// ---- sizes ----

Outcome<Value> messages_of(Call& call) {
  const Value& given = call.arg(0);
  if (is_list_like(given)) return Value(to_list_object(given));
  const Value* messages = is_transcript(given) ? given.as_dict()->find("messages") : nullptr;
  if (messages && messages->is_list()) return *messages;
  return throw_text(ErrorKind::Type, "{}: expected a list of messages or a transcript, got {}", call.row().name,
                    type_name(given));
}

Outcome<Value> estimate_tokens(Call& call) {
  Value messages = HARN_TRY(messages_of(call));
  size_t size = 0;
  for (const Value& message : messages.as_list()->values()) size += message_size(message);
  return Value::integer(static_cast<int64_t>(size / kBytesPerToken));
}

Value list_of(const std::vector<size_t>& numbers) {
  auto out = new_list(numbers.size());
  for (size_t number : numbers) out->push(Value::integer(static_cast<int64_t>(number)));
  return out;
}

Outcome<Value> sizes(Call& call) {
  Value messages = HARN_TRY(messages_of(call));
  std::vector<size_t> out;
  for (const Value& message : messages.as_list()->values()) out.push_back(message_size(message));
  return list_of(out);
}

Outcome<Value> units(Call& call) { return list_of(unit_starts(HARN_TRY(messages_of(call)))); }

Outcome<Value> call_count(Call& call) { return Value::integer(static_cast<int64_t>(tool_call_count(call.arg(0)))); }

Outcome<Value> text_of_message(Call& call) { return *message_event(call.arg(0), 1).as_dict()->find("text"); }

Outcome<Value> shorten(Call& call) {
  auto text = HARN_TRY(call.text(0));
  int64_t most = HARN_TRY(call.integer_or(1, kDefaultLimit));
  return text_value(microcompact(text, most < 0 ? 0 : static_cast<size_t>(most)));
}

// ---- texts that are kept ----

Outcome<Value> export_transcript(Call& call) {
  if (is_transcript(call.arg(0))) return text_value(HARN_TRY(exact_json(call, call.arg(0), "transcript")));
  return throw_text(ErrorKind::Type, "transcript_export: expected a transcript, got {}", type_name(call.arg(0)));
}

Outcome<Value> exact_text(Call& call) { return text_value(HARN_TRY(exact_json(call, call.arg(0), "message"))); }

// (text): the value of a text of `exact_text`; throws when it is none.
Outcome<Value> from_exact_text(Call& call) {
  auto parsed = data::parse_json(HARN_TRY(call.text(0)));
  if (!parsed) return throw_text(ErrorKind::Invalid, "not valid JSON: {}", parsed.error().text());
  return exact_value(call, *parsed, "the text");
}

// The name of a text by what it says.
Outcome<Value> text_hash(Call& call) {
  crypto::Blake3 hash;
  hash.add(HARN_TRY(call.text(0)));
  return text_value(codecs::to_hex(hash.finish().substr(0, kHashSize)));
}

constinit const Builtin kRows[] = {
    {.name = "__compact_messages",
     .signature = "(messages: list<dict>, options: dict) -> dict",
     .doc = "Compacts messages by any strategy: {messages, archived, summary, strategy, changed, fallback, ...}.",
     .prelude = "compaction:compact_messages"},
    {.name = "__exact_json",
     .signature = "(value: any) -> string",
     .doc = "A value as JSON that `__exact_value` makes the same value of.",
     .example = R"(__exact_value(__exact_json([1.0, bytes_from_string("a")])) == [1.0, bytes_from_string("a")])",
     .call = exact_text},
    {.name = "__exact_value", .signature = "(json: string) -> any", .doc = "That value.", .call = from_exact_text},
    {.name = "__message_calls",
     .signature = "(message: dict) -> int",
     .doc = "How many calls of tools a message has.",
     .call = call_count},
    {.name = "__message_events",
     .signature = "(messages: list, events: list) -> list<dict>",
     .doc = "The events of messages, with those of `events` that are of no message around them.",
     .call = events_of},
    {.name = "__message_sizes",
     .signature = "(messages: list | dict) -> list<int>",
     .doc = "How many bytes each message counts for.",
     .call = sizes},
    {.name = "__message_text",
     .signature = "(message: dict) -> string",
     .doc = "What it says.",
     .call = text_of_message},
    {.name = "__message_units",
     .signature = "(messages: list | dict) -> list<int>",
     .doc = "Where the list can be cut without parting calls of tools from their results.",
     .call = units},
    {.name = "__text_hash", .signature = "(text: string) -> string", .doc = "A name for a text.", .call = text_hash},
    {.name = "__transcript_store_session",
     .signature = "(id: string, messages: list<dict>, known: dict?, is_whole: bool) -> dict",
     .doc = "Writes messages of a session to its transcript on disk.",
     .prelude = "transcript_store:store_session"},
    {.name = "add_assistant",
     .signature = "<T>(to: T, content: any) -> T",
     .doc = "Adds an assistant's message to a list of messages or a transcript.",
     .example = R"(add_assistant([], "hi") == [{role: "assistant", content: "hi"}])",
     .call = add_assistant},
    {.name = "add_message",
     .signature = "<T>(to: T, role: string, content: any) -> T",
     .doc = "Adds a message to a list of messages or a transcript.",
     .example = R"(add_message([], "user", "hi") == [{role: "user", content: "hi"}])",
     .call = add_message},
    {.name = "add_system",
     .signature = "<T>(to: T, content: any) -> T",
     .doc = "Adds a system message to a list of messages or a transcript.",
     .example = R"(add_system([], "be brief")[0].role == "system")",
     .call = add_system},
    {.name = "add_tool_result",
     .signature = "<T>(to: T, tool_use_id: string, content: any) -> T",
     .doc = "Adds the result of a tool call to a list of messages or a transcript.",
     .example = R"(add_tool_result([], "call_1", "42")[0].tool_use_id == "call_1")",
     .call = add_tool_result},
    {.name = "add_user",
     .signature = "<T>(to: T, content: any) -> T",
     .doc = "Adds a user's message to a list of messages or a transcript.",
     .example = R"(add_user(transcript(), "hi").messages[0].content == "hi")",
     .call = add_user},
    {.name = "conversation",
     .signature = "() -> list<dict>",
     .doc = "An empty list of messages.",
     .example = "conversation() == []",
     .call = conversation},
    {.name = "estimate_tokens",
     .signature = "(messages: list | dict) -> int",
     .doc = "About how many tokens messages, or those of a transcript, have: a quarter of their bytes.",
     .example = R"(estimate_tokens([{role: "user", content: "12345678"}]) == 2)",
     .call = estimate_tokens},
    {.name = "microcompact",
     .signature = "(text: string, max_chars?: int) -> string",
     .doc = "Shortens a text to `max_chars` (20000) characters: its head and tail, and lines that look like "
            "diagnostics. Limits below 200 change nothing.",
     .example = R"(len(microcompact("line\n".repeat(1000), 400)) <= 400)",
     .call = shorten},
    {.name = "transcript",
     .signature = "(metadata?: dict) -> dict",
     .doc = "An empty transcript: {_type, version, id, messages, events, assets, metadata, state}.",
     .example = "transcript().messages == []",
     .prelude = "transcripts:transcript"},
    {.name = "transcript.clear_reminders",
     .signature = "(transcript: dict, selector: {id?: string, tag?: string, dedupe_key?: string}) -> dict",
     .doc = "Removes the reminders of a transcript that fit all of the selector: {transcript, removed_count}.",
     .example = R"(transcript.clear_reminders(transcript(), {tag: "x"}).removed_count == 0)",
     .prelude = "reminders:transcript_clear_reminders"},
    {.name = "transcript.inject_reminder",
     .signature = "(transcript: dict, options: dict) -> dict",
     .doc = "Adds a reminder to a transcript: {transcript, reminder_id, deduped_count}.",
     .example = R"(transcript.inject_reminder(transcript(), {body: "hurry", ttl_turns: 2}).deduped_count == 0)",
     .prelude = "reminders:transcript_inject_reminder"},
    {.name = "transcript_abandon",
     .signature = "(transcript: dict) -> dict",
     .doc = "The transcript in state `abandoned`, with an internal event that says so.",
     .example = R"(transcript_abandon(transcript()).state == "abandoned")",
     .prelude = "transcripts:transcript_abandon"},
    {.name = "transcript_add_asset",
     .signature = "(transcript: dict, asset: any) -> dict",
     .doc = "Adds an asset, in the place of one with the same id; what is no dict becomes its `storage.path`.",
     .example = R"(transcript_add_asset(transcript(), "a.png").assets[0].storage.path == "a.png")",
     .prelude = "transcripts:transcript_add_asset"},
    {.name = "transcript_archive",
     .signature = "(transcript: dict) -> dict",
     .doc = "The transcript in state `archived`, with an internal event that says so.",
     .example = R"(transcript_archive(transcript()).state == "archived")",
     .prelude = "transcripts:transcript_archive"},
    {.name = "transcript_assets",
     .signature = "(transcript: dict) -> list<dict>",
     .doc = "The assets of a transcript.",
     .example = "transcript_assets(transcript()) == []",
     .prelude = "transcripts:transcript_assets"},
    {.name = "transcript_auto_compact",
     .signature = "(messages: list<dict>, options?: dict) -> list<dict>",
     .doc = "Compacts a list of messages when it has more tokens than `compact_threshold` (48000).",
     .example = R"(transcript_auto_compact([{role: "user", content: "hi"}]) == [{role: "user", content: "hi"}])",
     .prelude = "compaction:transcript_auto_compact"},
    {.name = "transcript_compact",
     .signature = "(transcript: dict, options?: dict) -> dict",
     .doc = "Compacts a transcript by `strategy`: observation_mask, truncate or llm. The last `keep_last` (12) "
            "messages stay.",
     .example = R"(transcript_compact(transcript()).messages == [])",
     .prelude = "compaction:transcript_compact"},
    {.name = "transcript_events",
     .signature = "(transcript: dict) -> list<dict>",
     .doc = "The events of a transcript: one for each message, and others.",
     .example = R"(transcript_events(add_user(transcript(), "hi"))[0].kind == "message")",
     .prelude = "transcripts:transcript_events"},
    {.name = "transcript_events_by_kind",
     .signature = "(transcript: dict, kind: string) -> list<dict>",
     .doc = "The events of one kind.",
     .example = R"(transcript_events_by_kind(transcript(), "message") == [])",
     .prelude = "transcripts:transcript_events_by_kind"},
    {.name = "transcript_export",
     .signature = "(transcript: dict) -> string",
     .doc = "A transcript as JSON, from which `transcript_import` makes the same one.",
     .example = R"(transcript_import(transcript_export(transcript({a: 1}))).metadata == {a: 1})",
     .call = export_transcript},
    {.name = "transcript_fork",
     .signature = "(transcript: dict, options?: {retain_messages?: bool, retain_summary?: bool}) -> dict",
     .doc = "A copy with an id of its own, in state `forked`; `metadata.parent_transcript_id` says of which.",
     .example = R"(transcript_fork(transcript()).state == "forked")",
     .prelude = "transcripts:transcript_fork"},
    {.name = "transcript_from_messages",
     .signature = "(messages: list | dict) -> dict",
     .doc = "A transcript of a list of messages, or of the messages of another.",
     .example = R"(transcript_from_messages([{role: "user", content: "hi"}]).events[0].text == "hi")",
     .prelude = "transcripts:transcript_from_messages"},
    {.name = "transcript_id",
     .signature = "(transcript: dict) -> string",
     .doc = "Its id.",
     .example = "len(transcript_id(transcript())) == 36",
     .prelude = "transcripts:transcript_id"},
    {.name = "transcript_import",
     .signature = "(json: string | dict) -> dict",
     .doc = "The transcript of a text of `transcript_export`.",
     .example = R"(is_err(try { transcript_import("[]") }))",
     .prelude = "transcripts:transcript_import"},
    {.name = "transcript_messages",
     .signature = "(transcript: dict) -> list<dict>",
     .doc = "The messages of a transcript.",
     .example = "transcript_messages(transcript()) == []",
     .prelude = "transcripts:transcript_messages"},
    {.name = "transcript_reminder_event",
     .signature = "(reminder: dict) -> dict",
     .doc = "The event of a reminder, with defaults for what is missing or makes no sense.",
     .example = R"(transcript_reminder_event({body: "hurry"}).reminder.propagate == "session")",
     .prelude = "reminders:transcript_reminder_event"},
    {.name = "transcript_render_full",
     .signature = "(transcript: dict) -> string",
     .doc = "All events as lines `[visibility] role: text`.",
     .example = R"(transcript_render_full(add_user(transcript(), "hi")) == "[public] user: hi")",
     .prelude = "transcripts:transcript_render_full"},
    {.name = "transcript_render_visible",
     .signature = "(transcript: dict) -> string",
     .doc = "Public events that say something as lines `role: text`.",
     .example = R"(transcript_render_visible(add_user(transcript(), "hi")) == "user: hi")",
     .prelude = "transcripts:transcript_render_visible"},
    {.name = "transcript_reset",
     .signature = "(options?: {metadata?: dict}) -> dict",
     .doc = "An empty transcript in state `active`.",
     .example = R"(transcript_reset().state == "active")",
     .prelude = "transcripts:transcript_reset"},
    {.name = "transcript_resume",
     .signature = "(transcript: dict) -> dict",
     .doc = "The transcript in state `active`, with an internal event that says so.",
     .example = R"(transcript_resume(transcript_archive(transcript())).state == "active")",
     .prelude = "transcripts:transcript_resume"},
    {.name = "transcript_stats",
     .signature = "(transcript: dict) -> dict",
     .doc = "Counts of messages, tool calls and events that are seen.",
     .example = R"(transcript_stats(add_user(transcript(), "hi")).user_message_count == 1)",
     .prelude = "transcripts:transcript_stats"},
    {.name = "transcript_store_append",
     .signature = "(id: string, messages: dict | list<dict>) -> int",
     .doc = "Adds messages to a transcript on disk, each of which is stored once; gives how many it has.",
     .example = R"(is_err(try { transcript_store_append("../x", {role: "user", content: "hi"}) }))",
     .prelude = "transcript_store:transcript_store_append"},
    {.name = "transcript_store_fork",
     .signature = "(from_id: string, id: string, keep_first?: int) -> int",
     .doc = "Begins a transcript on disk with the first messages of another, which are not copied.",
     .example = R"(is_err(try { transcript_store_fork("../x", "y") }))",
     .prelude = "transcript_store:transcript_store_fork"},
    {.name = "transcript_store_load",
     .signature = "(id: string) -> list<dict>?",
     .doc = "The messages of a transcript on disk; nil when there is none.",
     .example = R"(is_err(try { transcript_store_load("") }))",
     .prelude = "transcript_store:transcript_store_load"},
    {.name = "transcript_store_replace",
     .signature = "(id: string, messages: list<dict>) -> int",
     .doc = "Says which messages a transcript on disk has from now on; those that are there are not written again.",
     .example = R"(is_err(try { transcript_store_replace("/", []) }))",
     .prelude = "transcript_store:transcript_store_replace"},
    {.name = "transcript_summarize",
     .signature = "(transcript: dict, options?: dict) -> dict",
     .doc = "Lets a model summarise all but the last `keep_last` (6) messages.",
     .example = "transcript_summarize(transcript()).messages == []",
     .prelude = "compaction:transcript_summarize"},
    {.name = "transcript_summary",
     .signature = "(transcript: dict) -> string?",
     .doc = "Its summary, or nil.",
     .example = "transcript_summary(transcript()) == nil",
     .prelude = "transcripts:transcript_summary"},
};

}  // namespace

std::span<const Builtin> message_rows() { return kRows; }

}  // namespace harn::builtins
