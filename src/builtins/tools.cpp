// Registries of tools, and what is told of them. They are values; what makes them is written in Harn (src/std/prelude/tools.harn
// and its neighbours).
#include <algorithm>

#include "base/result.h"
#include "builtins/families.h"
#include "vm/claim.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// ---- the arguments of a declared tool ----

bool flag(const DictObject* dict, std::string_view key) {
  const Value* found = dict->find(key);
  return found && truthy(*found);
}

std::string_view name_of(const Value& param) { return param.as_dict()->find("name")->as_string()->view(); }

bool may_be_object(const DictObject* param) {
  const Value* schema = param->find("schema");
  const Value* type = schema && schema->is_dict() ? schema->as_dict()->find("type") : nullptr;
  return !type || !type->is_string() || type->as_string()->view() == "object";
}

// Whether one dict stands for all arguments by name, or is an argument itself.
bool is_by_name(std::span<const Value> params, std::span<const Value> given) {
  if (given.size() != 1 || !given[0].is_dict()) return false;
  const DictObject* dict = given[0].as_dict();
  for (auto [key, value] : dict->entries()) {
    auto is_it = [&](const Value& param) { return name_of(param) == key->view(); };
    if (std::none_of(params.begin(), params.end(), is_it)) return false;
  }
  auto is_missing = [&](const Value& param) {
    return !flag(param.as_dict(), "is_optional") && !dict->find(name_of(param));
  };
  bool has_all = std::none_of(params.begin(), params.end(), is_missing);
  return has_all || params.empty() || !may_be_object(params[0].as_dict());
}

// (params, given): what the function of a tool is called with. Where an argument is left out before one that is given,
// its place is unset, and the function takes its default.
Outcome<Value> tool_arguments(Call& call) {
  auto params = HARN_TRY(call.list(0));
  auto given = HARN_TRY(call.list(1));
  if (!is_by_name(params->values(), given->values())) return call.take(1);
  const DictObject* dict = given->values()[0].as_dict();
  Value out = new_list();
  size_t skipped = 0;
  for (const Value& param : params->values()) {
    const Value* value = dict->find(name_of(param));
    if (!value) {
      if (!flag(param.as_dict(), "is_optional"))
        return throw_text(ErrorKind::Invalid, "missing required argument `{}`", name_of(param));
      ++skipped;
      continue;
    }
    for (; skipped > 0; --skipped) writable_list(out)->push(Value::unset());
    if (!flag(param.as_dict(), "is_rest")) {
      writable_list(out)->push(*value);
    } else if (value->is_list()) {
      for (const Value& item : value->as_list()->values()) writable_list(out)->push(item);
    }
  }
  return out;
}

// ---- registries ----

// Looks at the names of many entries, most of which have the same shape.
class NameFinder {
 public:
  std::string_view name_of(const Value& entry) {
    if (!entry.is_dict()) return {};
    const DictObject* dict = entry.as_dict();
    const Value* name = dict->shape ? in_slot(dict) : dict->find("name");
    return name && name->is_string() ? name->as_string()->view() : std::string_view();
  }

 private:
  const Value* in_slot(const DictObject* dict) {
    if (dict->shape != shape_) {
      shape_ = dict->shape;
      slot_ = shape_->find("name");
    }
    return slot_ < 0 ? nullptr : dict->slots() + slot_;
  }
  const Shape* shape_ = nullptr;
  int slot_ = -1;
};

// Names often differ at their ends only.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || a.back() == b.back()) && a == b;
}

// (registry, entry): in the place of the one with its name, or behind all others. Where nobody else holds the registry it is changed as it is, so
// defining many tools costs little more than looking for their names.
Outcome<Value> put(Call& call) {
  (void)HARN_TRY(call.dict(0));
  (void)HARN_TRY(call.dict(1));
  Value registry = call.take(0), entry = call.take(1);
  const Value* known = registry.as_dict()->find("tools");
  if (!known || !known->is_list()) return throw_text(ErrorKind::Type, "__tool_put: expected a registry");
  auto entries = std::as_const(*known->as_list()).values();
  NameFinder finder;
  std::string_view name = finder.name_of(entry);
  auto found = std::ranges::find_if(entries, [&](const Value& one) { return is_same(finder.name_of(one), name); });
  auto place = static_cast<size_t>(found - entries.begin());
  bool is_new = found == entries.end();
  Claimed claimed(registry, Looks::Always);
  ListObject* tools = writable_list(*dict_slot(registry, "tools"));
  if (is_new) tools->push(std::move(entry));
  else tools->items[place] = std::move(entry);
  return registry;
}

constinit const Builtin kRows[] = {
    {.name = "__declare_tool",
     .signature = "(facts: dict, defaults: dict, body: closure, description: string) -> dict",
     .doc = "The registry that a `tool` declaration is.",
     .prelude = "tools:declare_tool"},
    {.name = "__declared_tools",
     .signature = "() -> dict",
     .doc = "The registry of the functions that `@acp_tool` has promoted.",
     .prelude = "tools:declared_tools"},
    {.name = "__mutation_class",
     .signature = "(annotations: dict?) -> string",
     .doc = "What a tool may change, from its annotations.",
     .prelude = "tools:mutation_class"},
    {.name = "__promote_tool",
     .signature = "(facts: dict, defaults: dict, body: closure, given: dict) -> nil",
     .doc = "What `@acp_tool` does.",
     .prelude = "tools:promote_tool"},
    {.name = "__tool_arguments",
     .signature = "(params: list<dict>, given: list) -> list",
     .doc = "The arguments of a declared tool in the order of its parameters.",
     .call = tool_arguments},
    {.name = "__tool_check_backends",
     .signature = "(entries: list, who: string) -> nil",
     .doc = "Fails when a tool has nothing that could run it.",
     .prelude = "tools:check_backends"},
    {.name = "__tool_entries",
     .signature = "(tools: any) -> list<dict>",
     .doc = "The entries of what an option `tools` holds: a registry, entries, or several of both.",
     .prelude = "tools:tool_entries"},
    {.name = "__tool_input_schema",
     .signature = "(entry: dict, components?: dict) -> dict",
     .doc = "The JSON Schema of a tool's arguments.",
     .prelude = "tools:input_schema"},
    {.name = "__tool_put",
     .signature = "(registry: dict, entry: dict) -> dict",
     .doc = "The registry with one more tool, or with another one of its name.",
     .example = R"(__tool_put(tool_registry(), {name: "a"}).tools == [{name: "a"}])",
     .call = put},
    {.name = "__tool_requests",
     .signature = "(entries: list) -> list<dict>",
     .doc = "Tools as a model call takes them: {name, description, input_schema, defer_loading?, namespace?}.",
     .prelude = "tools:tool_requests"},
    {.name = "plan_artifact",
     .signature = "(value: any) -> dict",
     .doc = "Returns a plan with all its fields, from a plan, a list of steps or a text.",
     .example = R"(plan_artifact(["look", "change"]).steps[1].content == "change")",
     .prelude = "plans:plan_artifact"},
    {.name = "plan_entries",
     .signature = "(plan: any) -> list<dict>",
     .doc = "Returns the steps of a plan as {content, status, priority?}.",
     .example = R"(plan_entries(["look"]) == [{content: "look", status: "pending"}])",
     .prelude = "plans:plan_entries"},
    {.name = "tool_bind",
     .signature = "(registry: dict?) -> nil",
     .doc = "Makes a registry the one that tool_ref and tool_def look in; nil: none.",
     .example = "tool_bind(nil) == nil",
     .prelude = "tools:tool_bind"},
    {.name = "tool_count",
     .signature = "(registry: dict) -> int",
     .doc = "Returns the number of tools.",
     .example = "tool_count(tool_registry()) == 0",
     .prelude = "tools:tool_count"},
    {.name = "tool_def",
     .signature = "(name: string) -> dict",
     .doc = "Returns the entry of a bound tool, without its handler.",
     .example = R"(is_err(try { tool_def("nothing") }))",
     .prelude = "tools:tool_def"},
    {.name = "tool_define",
     .signature = "(registry: dict, name: string, description: string, config: dict) -> dict",
     .doc = "Returns the registry with a tool added, or replaced: parameters, handler, returns, executor, annotations, "
            "...",
     .example = R"(tool_count(tool_define(tool_registry(), "hi", "Greets", {handler: { args -> "hi" }})) == 1)",
     .prelude = "tools:tool_define"},
    {.name = "tool_describe",
     .signature = "(registry: dict) -> string",
     .doc = "Returns a list of the tools as text.",
     .example = R"x(tool_describe(tool_registry()).contains("(none)"))x",
     .prelude = "tools:tool_describe"},
    {.name = "tool_find",
     .signature = "(registry: dict, name: string) -> dict?",
     .doc = "Returns the entry of a tool, or nil.",
     .example = R"(tool_find(tool_registry(), "hi") == nil)",
     .prelude = "tools:tool_find"},
    {.name = "tool_format_result",
     .signature = "(name: string, result: any) -> string",
     .doc = "Returns a result as a model is told it: `<tool_result>{...}</tool_result>`.",
     .example = R"(tool_format_result("add", 3) == "<tool_result>{\"name\":\"add\",\"result\":3}</tool_result>")",
     .prelude = "tools:tool_format_result"},
    {.name = "tool_list",
     .signature = "(registry: dict) -> list<dict>",
     .doc = "Returns the entries without their handlers.",
     .example = "tool_list(tool_registry()) == []",
     .prelude = "tools:tool_list"},
    {.name = "tool_parse_call",
     .signature = "(text: string) -> list",
     .doc = "Returns the JSON in every `<tool_call>...</tool_call>`.",
     .example = R"(tool_parse_call("<tool_call>{\"name\": \"a\"}</tool_call>") == [{name: "a"}])",
     .prelude = "tools:tool_parse_call"},
    {.name = "tool_prompt",
     .signature = "(registry: dict) -> string",
     .doc = "Returns instructions for a model: the tools, and how to call them as JSON in `<tool_call>` tags.",
     .example = R"(tool_prompt(tool_registry()).contains("<tool_call>"))",
     .prelude = "tools:tool_prompt"},
    {.name = "tool_ref",
     .signature = "(name: string) -> string",
     .doc = "Returns the name when a bound tool has it; fails with the names there are otherwise.",
     .example = R"(is_err(try { tool_ref("nothing") }))",
     .prelude = "tools:tool_ref"},
    {.name = "tool_registry",
     .signature = "() -> dict",
     .doc = "Returns an empty registry of tools.",
     .example = R"(tool_registry() == {_type: "tool_registry", tools: []})",
     .prelude = "tools:tool_registry"},
    {.name = "tool_remove",
     .signature = "(registry: dict, name: string) -> dict",
     .doc = "Returns the registry without a tool.",
     .example = R"(tool_remove(tool_registry(), "hi") == tool_registry())",
     .prelude = "tools:tool_remove"},
    {.name = "tool_schema",
     .signature = "(registry: dict, components?: dict) -> dict",
     .doc = "Returns {schema_version, tools: [{name, description, inputSchema, outputSchema?}], components?}.",
     .example = R"(tool_schema(tool_registry()).schema_version == "harn-tools/1.0")",
     .prelude = "tools:tool_schema"},
    {.name = "tool_select",
     .signature = "(registry: dict, names: list<string>) -> dict",
     .doc = "Returns a registry with these tools only.",
     .example = "tool_select(tool_registry(), []) == tool_registry()",
     .prelude = "tools:tool_select"},
    {.name = "tool_surface_validate",
     .signature = "(surface: dict, options?: dict) -> {valid: bool, diagnostics: list<dict>}",
     .doc = "Looks for what is wrong with tools, policies and prompts before a model sees them.",
     .example = "tool_surface_validate({tools: tool_registry()}).valid",
     .prelude = "tool_surface:tool_surface_validate"},
    {.name = "tool_synthesis_cache",
     .signature = "() -> dict",
     .doc = "Returns the specs of the tools that were synthesized, by their ids.",
     .example = "tool_synthesis_cache() == {}",
     .prelude = "tool_synthesis:tool_synthesis_cache"},
    {.name = "tool_synthesis_clear",
     .signature = "() -> nil",
     .doc = "Forgets the specs of synthesized tools.",
     .example = "tool_synthesis_clear() == nil",
     .prelude = "tool_synthesis:tool_synthesis_clear"},
    {.name = "tool_synthesize",
     .signature = "(config: dict) -> closure",
     .doc = "Returns a function for a tool that is described but not written: a dry run, or the host's or an MCP "
            "server's.",
     .example = R"(tool_synthesize({description: "Adds"})({a: 1}).status == "dry_run")",
     .prelude = "tool_synthesis:tool_synthesize"},
};

}  // namespace

std::span<const Builtin> tool_rows() { return kRows; }

}  // namespace harn::builtins
