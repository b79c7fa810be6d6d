// What std/agent_state, std/memory and std/cache are made of: files in a folder that the program has named, or in the state
// root (""). The modules check keys and handles; `by` is the function that messages name.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/stored_json.h"
#include "effects/state_files.h"
#include "vm/fiber.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::Run;

Run& run_of(Call& call) { return Run::current(call.vm()); }

// `by` is the argument at that place, if it is given.
Outcome<effects::StatePath> place_of(Call& call, size_t by) {
  effects::StatePath place{std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1)))};
  if (call.count() > by) place.builtin = HARN_TRY(call.text(by));
  return place;
}

// A text, or bytes where that is none.
Outcome<Value> read(Call& call) {
  auto file = HARN_TRY(effects::perform(run_of(call), effects::ReadStateFile{HARN_TRY(place_of(call, 2))}));
  if (!file.exists) return Value();
  return text::is_valid_utf8(file.text) ? text_value(file.text) : Value(new_bytes(file.text));
}

Outcome<Value> write(Call& call) {
  effects::ReplaceStateFile request{HARN_TRY(place_of(call, 3)), ""};
  request.text = call.arg(2).is(Kind::Bytes) ? call.arg(2).as_bytes()->view() : HARN_TRY(call.text(2));
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

Outcome<Value> write_private(Call& call) {
  effects::ReplaceStateFile request{HARN_TRY(place_of(call, 3)), std::string(HARN_TRY(call.text(2)))};
  request.is_private = true;
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

Outcome<Value> write_derived(Call& call) {
  effects::ReplaceStateFile request{HARN_TRY(place_of(call, 3)), std::string(HARN_TRY(call.text(2)))};
  request.is_private = true;
  request.is_derived = true;
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

// What it holds, and a version for `swap`.
Outcome<Value> seen(Call& call) {
  auto file = HARN_TRY(effects::perform(run_of(call), effects::ReadStateFile{HARN_TRY(place_of(call, 2))}));
  bool is_text = file.exists && text::is_valid_utf8(file.text);
  return DictBuilder()
      .add("text", is_text ? text_value(file.text) : Value())
      .add("exists", Value::boolean(file.exists))
      .add("path", text_value(file.path))
      .add("version", text_value(effects::fingerprint(file)))
      .done();
}

Outcome<Value> swap(Call& call) {
  effects::ReplaceStateFile request{HARN_TRY(place_of(call, 4)), std::string(HARN_TRY(call.text(3))), true,
                                    std::string(HARN_TRY(call.text(2))), true};
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)));
}

Outcome<Value> append(Call& call) {
  effects::AppendStateLine request{HARN_TRY(place_of(call, 3)), std::string(HARN_TRY(call.text(2)))};
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

Outcome<Value> remove(Call& call) {
  return Value::boolean(
      HARN_TRY(effects::perform(run_of(call), effects::RemoveStateFile{HARN_TRY(place_of(call, 2))})));
}

// Nil when this program has it now, else who has it.
Outcome<Value> hold(Call& call) {
  auto answer = HARN_TRY(effects::perform(run_of(call), effects::HoldStateFile{HARN_TRY(place_of(call, 2))}));
  return answer.is_held ? Value() : text_value(answer.holder);
}

Outcome<Value> let_go(Call& call) {
  effects::HoldStateFile request{HARN_TRY(place_of(call, 2)), true};
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)).is_held);
}

Outcome<Value> list(Call& call) {
  auto found = HARN_TRY(effects::perform(run_of(call), effects::ListStateFiles{HARN_TRY(place_of(call, 2))}));
  if (!found.exists) return Value();
  auto out = new_list(found.files.size());
  for (const std::string& file : found.files) out->push(text_value(file));
  return Value(std::move(out));
}

Outcome<Value> make(Call& call) {
  HARN_CHECK(effects::perform(run_of(call), effects::MakeStateFolder{std::string(HARN_TRY(call.text(0)))}));
  return Value();
}

Outcome<Value> state_json(Call& call) {
  auto what = HARN_TRY(call.text(1));
  return text_value(HARN_TRY(stored_json(HARN_TRY(call.text(2)), call.arg(0), what)));
}

// ---- caches ----

Outcome<Value> cache_read(Call& call) {
  effects::CacheRead request{HARN_TRY(place_of(call, 4)), std::string(HARN_TRY(call.text(2))),
                             std::string(HARN_TRY(call.text(3)))};
  auto found = HARN_TRY(effects::perform(run_of(call), request));
  return found.exists ? text_value(found.text) : Value();
}

Outcome<Value> cache_change(Call& call, effects::CacheChange request) {
  return Value::integer(HARN_TRY(effects::perform(run_of(call), request)));
}

Outcome<Value> cache_write(Call& call) {
  return cache_change(
      call, {HARN_TRY(place_of(call, 6)), effects::CacheChange::What::Write, std::string(HARN_TRY(call.text(2))),
             std::string(HARN_TRY(call.text(3))), std::string(HARN_TRY(call.text(4))), HARN_TRY(call.integer(5))});
}

Outcome<Value> cache_remove(Call& call) {
  return cache_change(call, {HARN_TRY(place_of(call, 4)), effects::CacheChange::What::Remove,
                             std::string(HARN_TRY(call.text(2))), std::string(HARN_TRY(call.text(3)))});
}

Outcome<Value> cache_clear(Call& call) {
  return cache_change(
      call, {HARN_TRY(place_of(call, 3)), effects::CacheChange::What::Clear, std::string(HARN_TRY(call.text(2))), ""});
}

// ---- memories ----

Outcome<std::vector<std::string>> texts_of(Call& call, size_t place) {
  std::vector<std::string> out;
  auto list = HARN_TRY(call.list(place));
  for (const Value& item : list->values()) out.push_back(display(item));
  return out;
}

template <class Items, class Convert>
Value list_of(const Items& items, Convert convert) {
  auto out = new_list(items.size());
  for (const auto& item : items) out->push(convert(item));
  return Value(std::move(out));
}

Outcome<Value> memory_search(Call& call) {
  effects::SearchMemories request{HARN_TRY(place_of(call, 5)), HARN_TRY(texts_of(call, 2)), HARN_TRY(call.integer(3)),
                                  HARN_TRY(call.integer(4))};
  auto found = HARN_TRY(effects::perform(run_of(call), request));
  auto text = [](const std::string& item) { return text_value(text::to_valid_utf8(item)); };
  return DictBuilder()
      .add("is_short", Value::boolean(found.is_short))
      .add("is_behind", Value::boolean(found.is_behind))
      .add("begins_anew", Value::boolean(found.begins_anew))
      .add("upto", Value::integer(found.from + static_cast<int64_t>(found.log.size())))
      .add("tail", Value(new_bytes(found.log.substr(found.log.size() - std::min<size_t>(found.log.size(), 64)))))
      .add("log", text(found.log))
      .add("records", Value::integer(found.records))
      .add("words", Value::integer(found.words))
      .add("frequencies", list_of(found.frequencies, Value::integer))
      .add("places", list_of(found.places, Value::integer))
      .add("hits", list_of(found.hits, text))
      .done();
}

// Entries are [id, record, text, words].
Outcome<Value> memory_index(Call& call) {
  effects::AddMemories request{HARN_TRY(place_of(call, 6)), truthy(call.arg(2)), HARN_TRY(call.integer(3)),
                               std::string(call.arg(4).as_bytes()->view())};
  auto entries = HARN_TRY(call.list(5));
  for (const Value& entry : entries->values()) {
    const ListObject& fields = *entry.as_list();
    request.ids.push_back(display(fields.values()[0]));
    request.records.push_back(display(fields.values()[1]));
    request.texts.push_back(display(fields.values()[2]));
    request.words.push_back(fields.values()[3].as_int());
  }
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

constinit const Builtin kRows[] = {
    {.name = "__cache_clear",
     .signature = "(folder: string, file: string, namespace: string, by?: string) -> int",
     .doc = "Empties a namespace of a cache in a file of SQLite; gives how many entries went.",
     .example = R"(__cache_clear("/none", "none", "n") == 0)",
     .needs = Capability::StateWrite,
     .wait = on_fiber<cache_clear>},
    {.name = "__cache_read",
     .signature = "(folder: string, file: string, namespace: string, key: string, by?: string) -> string?",
     .doc = "A text of a cache, which is now the most recently used; nil when there is none.",
     .example = R"(__cache_read("/none", "none", "n", "k") == nil)",
     .needs = Capability::StateRead,
     .wait = on_fiber<cache_read>},
    {.name = "__cache_remove",
     .signature = "(folder: string, file: string, namespace: string, key: string, by?: string) -> int",
     .doc = "Removes a text of a cache; gives how many there were.",
     .example = R"(__cache_remove("/none", "none", "n", "k") == 0)",
     .needs = Capability::StateWrite,
     .wait = on_fiber<cache_remove>},
    {.name = "__cache_write",
     .signature = "(folder: string, file: string, namespace: string, key: string, text: string, max_entries: int, by?: "
                  "string) -> int",
     .doc = "Puts a text into a cache; those that were used longest ago go when there are too many. Gives how many.",
     .example =
         R"(unwrap_err(try { __cache_write("/dev/null", "a", "n", "k", "t", 0) }).starts_with("Runtime error: /dev"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<cache_write>},
    {.name = "__memory_forget",
     .signature = "(namespace: string, predicate: any, options?: dict?) -> dict",
     .doc = "The function of std/memory.",
     .example = R"x(is_err(try { __memory_forget("..", "x") }))x",
     .prelude = "memory:memory_forget"},
    {.name = "__memory_index",
     .signature = "(folder: string, file: string, begins_anew: bool, upto: int, tail: bytes, entries: list<list>, by?: "
                  "string) -> nil",
     .doc = "Adds [id, record, text, words] of a part of a log of memories to its index.",
     .example = R"(unwrap_err(try { __memory_index("/dev/null", "a", false, 0, bytes_from_string(""), []) }))"
                R"(.starts_with("Runtime error: /dev"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<memory_index>},
    {.name = "__memory_open",
     .signature = "(namespace: string, options?: dict?) -> dict",
     .doc = "The function of std/memory.",
     .example = R"x(is_err(try { __memory_open("..") }))x",
     .prelude = "memory:memory_open"},
    {.name = "__memory_recall",
     .signature = "(namespace: string, query: string, k?: int?, options?: dict?) -> list<dict>",
     .doc = "The function of std/memory.",
     .example = R"x(__memory_recall("none", "x") == [])x",
     .prelude = "memory:memory_recall"},
    {.name = "__memory_search",
     .signature = "(folder: string, file: string, words: list<string>, limit: int, shortest: int, by?: string) -> dict",
     .doc = "Looks words up in the index of a log of memories, or gives the part of the log that is not in it yet.",
     .example = R"(__memory_search("/none", "none", ["a"], 5, 1).is_short)",
     .needs = Capability::StateRead,
     .wait = on_fiber<memory_search>},
    {.name = "__memory_store",
     .signature = "(namespace: string, key: string, value: any, tags?: any, options?: dict?) -> dict",
     .doc = "The function of std/memory.",
     .example = R"x(is_err(try { __memory_store("..", "k", 1) }))x",
     .prelude = "memory:memory_store"},
    {.name = "__memory_store_all",
     .signature = "(namespace: string, items: list<dict>, options?: dict?) -> nil",
     .doc = "Stores many items of std/memory in one write.",
     .example = R"x(is_err(try { __memory_store_all("..", [{id: "a", key: "k", value: 1, tags: []}]) }))x",
     .prelude = "memory:memory_store_all"},
    {.name = "__memory_summarize",
     .signature = "(namespace: string, window?: any, options?: dict?) -> dict",
     .doc = "The function of std/memory.",
     .example = R"x(__memory_summarize("none").count == 0)x",
     .prelude = "memory:memory_summarize"},
    {.name = "__state_append",
     .signature = "(folder: string, file: string, line: string, by?: string) -> nil",
     .doc = "Adds a line to a file of a folder, on lines of its own whatever an interrupted writer has left.",
     .example =
         R"(unwrap_err(try { __state_append("/dev/null", "a", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<append>},
    {.name = "__state_hold",
     .signature = "(folder: string, file: string, by?: string) -> string?",
     .doc = "Holds a file of a folder as a lock, until the program ends; nil, or the process that has it already.",
     .example = R"(unwrap_err(try { __state_hold("/dev/null", "a") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<hold>},
    {.name = "__state_json",
     .signature = "(value: any, what: string, by: string) -> string",
     .doc = "A value as the JSON text that is kept of it; refuses what JSON cannot hold.",
     .example = R"(__state_json([1, nil], "value", "f") == "[1,null]")",
     .call = state_json},
    {.name = "__state_let_go",
     .signature = "(folder: string, file: string, by?: string) -> bool",
     .doc = "Lets go of a file that `__state_hold` holds; false when this program does not.",
     .example = "!__state_let_go(\"/tmp\", \"none\")",
     .needs = Capability::StateWrite,
     .wait = on_fiber<let_go>},
    {.name = "__state_list",
     .signature = "(folder: string, below: string, by?: string) -> list<string>?",
     .doc =
         "The files below a folder in a folder, or (\"\") below that itself, sorted; nil when there is no such folder.",
     .example = R"(__state_list("/none", "") == nil)",
     .needs = Capability::StateRead,
     .wait = on_fiber<list>},
    {.name = "__state_make",
     .signature = "(folder: string) -> nil",
     .doc = "Makes a folder and those above it.",
     .example = "__state_make(\"/tmp\") == nil",
     .needs = Capability::StateWrite,
     .wait = on_fiber<make>},
    {.name = "__state_read",
     .signature = "(folder: string, file: string, by?: string) -> string | bytes | nil",
     .doc = "What a file of a folder holds; nil when there is none.",
     .example = "__state_read(\"/none\", \"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<read>},
    {.name = "__state_remove",
     .signature = "(folder: string, file: string, by?: string) -> bool",
     .doc = "Removes a file of a folder; false when there is none.",
     .example = "!__state_remove(\"/none\", \"none\")",
     .needs = Capability::StateWrite,
     .wait = on_fiber<remove>},
    {.name = "__state_seen",
     .signature = "(folder: string, file: string, by?: string) -> dict",
     .doc = "What a file of a folder holds, for `__state_swap`: {text, exists, path, version}.",
     .example = R"(!__state_seen("/none", "none").exists)",
     .needs = Capability::StateRead,
     .wait = on_fiber<seen>},
    {.name = "__state_swap",
     .signature = "(folder: string, file: string, version: string, text: string, by?: string) -> bool",
     .doc = "Makes or replaces a file that only its owner reads, unless it has changed since that version was seen.",
     .example =
         R"(unwrap_err(try { __state_swap("/dev/null", "a", "", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<swap>},
    {.name = "__state_write",
     .signature = "(folder: string, file: string, content: string | bytes, by?: string) -> nil",
     .doc = "Makes or replaces a file of a folder.",
     .example = R"(unwrap_err(try { __state_write("/dev/null", "a", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<write>},
    {.name = "__state_write_derived",
     .signature = "(folder: string, file: string, text: string, by?: string) -> nil",
     .doc = "The same for one that can be made again: it may be lost with the power.",
     .example =
         R"(unwrap_err(try { __state_write_derived("/dev/null", "a", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<write_derived>},
    {.name = "__state_write_private",
     .signature = "(folder: string, file: string, text: string, by?: string) -> nil",
     .doc = "Makes or replaces a file of a folder that only its owner reads.",
     .example =
         R"(unwrap_err(try { __state_write_private("/dev/null", "a", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<write_private>},
};

}  // namespace

std::span<const vm::Builtin> agent_state_rows() { return kRows; }

}  // namespace harn::builtins
