// Running tools: arguments that are made to fit, dispatch, search, narrowing and hooks. What happens is written in Harn
// (src/std/prelude/tool_dispatch.harn and its neighbours).
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/schema_fit.h"
#include "builtins/schema_validate.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// (arguments, schema, only what needs no guessing): {value, errors, repairs}
Outcome<Value> fit_arguments(Call& call) {
  const Value& schema = call.arg(1);
  bool is_careful = call.count() > 2 && truthy(call.arg(2));
  schema::Fitter fitter(schema, RegexCache::of_thread(), is_careful ? schema::Guess::Little : schema::Guess::Much);
  Value value = fitter.fit(call.arg(0));
  schema::Validator validator(schema, RegexCache::of_thread());
  value = validator.with_defaults(value);
  validator.validate(value);
  Value errors = new_list(), repairs = new_list();
  for (const std::string& error : validator.errors) writable_list(errors)->push(text_value(error));
  if (!validator.malformed.empty())
    writable_list(errors)->push(text_value(fmt::format("the schema of the tool is wrong: {}", validator.malformed)));
  for (const schema::FitRepair& one : fitter.repairs) {
    Value entry = DictBuilder().add("kind", text_value(one.kind)).add("path", text_value(one.path)).done();
    writable_list(repairs)->push(std::move(entry));
  }
  return DictBuilder()
      .add("value", std::move(value))
      .add("errors", std::move(errors))
      .add("repairs", std::move(repairs))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "__dispatch_tool",
     .signature = "(entry: dict?, call: dict, context?: dict) -> dict",
     .doc =
         "Runs a tool call: {status, text, value?, error_category?, duration_ms}. Never throws for what the tool does.",
     .prelude = "tool_dispatch:dispatch_tool"},
    {.name = "__fit_arguments",
     .signature = "(arguments: any, schema: dict, careful?: bool) -> dict",
     .doc = "The arguments as the schema wants them: {value, errors, repairs}; carefully: nothing is guessed.",
     .example = R"(__fit_arguments({n: "3"}, {type: "object", properties: {n: {type: "integer"}}}).value == {n: 3})",
     .call = fit_arguments},
    {.name = "__loop_detect",
     .signature = "(history: list, call: dict, limits: dict, key?: string) -> dict",
     .doc = "What repeated calls of a tool deserve: {action, count, text}. `key`: of the call, where it is known.",
     .prelude = "tool_dispatch:loop_detect"},
    {.name = "__loop_key",
     .signature = "(call: dict) -> string",
     .doc = "What calls with the same arguments have in common.",
     .example = R"(__loop_key({name: "a", arguments: {n: 1}}) == __loop_key({name: "a", arguments: {n: 1}, id: "x"}))",
     .prelude = "tool_dispatch:call_key"},
    {.name = "__loop_note",
     .signature = "(history: list, call: dict, text: string, key?: string) -> list",
     .doc = "The history of calls with one more.",
     .prelude = "tool_dispatch:loop_note"},
    {.name = "__narrow_tools",
     .signature = "(entries: list, turns: list, options?: any) -> dict",
     .doc = "The tools that stay visible, from what was used in the last turns: {entries, event?}.",
     .prelude = "tool_narrowing:narrow_tools"},
    {.name = "__narrowing_options",
     .signature = "(given: any) -> dict",
     .doc = "`tool_surface_narrowing` with all its fields.",
     .prelude = "tool_narrowing:narrowing_options"},
    {.name = "__post_tool_hooks",
     .signature = "(event: dict) -> dict",
     .doc = "What the hooks make of a result: {text, truncated, dropped_bytes, reminders}.",
     .prelude = "tool_hooks:post_tool_hooks"},
    {.name = "__pre_tool_hooks",
     .signature = "(event: dict) -> dict",
     .doc = "What the hooks say before a call: {action, reason?, arguments, reminders}.",
     .prelude = "tool_hooks:pre_tool_hooks"},
    {.name = "__provider_search",
     .signature = "(block: any) -> dict?",
     .doc = "What a block of a provider tells of its own search for tools, as an event.",
     .prelude = "tool_search:provider_search"},
    {.name = "__read_tool_result",
     .signature = "(id: string, offset?: int, limit?: int) -> dict",
     .doc = "A part of a result that was too long to show: {id, offset, text, total_chars, next_offset?}.",
     .prelude = "tool_results:read_tool_result"},
    {.name = "__search_tools",
     .signature = "(tools: any, query: string, options?: any) -> dict",
     .doc = "The tools that a query means: {tool_names, diagnostic?}.",
     .prelude = "tool_search:search_tools"},
    {.name = "__tool_call_surface",
     .signature = "(by: string, given: dict, entries: list, place: dict) -> dict",
     .doc = "What one call of a model sends of its tools, with the option `tool_search`: {entries, search, stubs}.",
     .prelude = "tool_search:call_surface"},
    {.name = "__tool_result_bounded",
     .signature = "(text: string, tool_name: string, limit?: int) -> dict",
     .doc = "A result as a model is shown it: {text, artifact?}.",
     .prelude = "tool_results:bounded_result"},
    {.name = "__tool_result_reader",
     .signature = "() -> dict",
     .doc = "The tool by which a model reads results that were cut.",
     .prelude = "tool_results:reader_entry"},
    {.name = "__tool_result_text",
     .signature = "(value: any) -> string",
     .doc = "What a tool has given, as text for a model.",
     .prelude = "tool_dispatch:result_text"},
    {.name = "__tool_results_message",
     .signature = "(results: list) -> string",
     .doc = "The results of a turn as the text protocol tells them.",
     .prelude = "tool_dispatch:results_message"},
    {.name = "__tool_search_options",
     .signature = "(given: any) -> dict?",
     .doc = "The option `tool_search` with all its fields; nil: it is off.",
     .prelude = "tool_search:tool_search_options"},
    {.name = "__tool_search_surface",
     .signature = "(entries: list, options: dict, loaded?: list) -> dict",
     .doc = "What a model sees of deferred tools: {visible, deferred, search_tool, stubs?}.",
     .prelude = "tool_search:search_surface"},
    {.name = "__tool_searches_itself",
     .signature = "(by: string, options: dict, place: dict) -> bool",
     .doc = "Whether the provider searches for deferred tools, and not the runtime.",
     .prelude = "tool_search:searches_itself"},
    {.name = "clear_tool_hooks",
     .signature = "() -> nil",
     .doc = "Forgets the hooks of register_tool_hook.",
     .example = "clear_tool_hooks() == nil",
     .prelude = "tool_hooks:clear_tool_hooks"},
    {.name = "register_tool_hook",
     .signature = "(config: dict) -> nil",
     .doc = "Adds a hook for the tools whose names match `pattern`: `deny`, `max_output`, `pre`, `post`.",
     .example = R"(register_tool_hook({pattern: "write_*", deny: "read only"}) == nil && clear_tool_hooks() == nil)",
     .prelude = "tool_hooks:register_tool_hook"},
};

}  // namespace

std::span<const Builtin> tool_run_rows() { return kRows; }

}  // namespace harn::builtins
