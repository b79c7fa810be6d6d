// Anthropic Messages.
#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Part = Projected::Part;
using Kind = Projected::Part::Kind;

constexpr int64_t kLeastBudget = 1024;
constexpr int64_t kUsualMaxTokens = 16384;

Value media_source(const Value& block) {
  std::string_view url = text_field(block, "url");
  if (!url.empty()) return DictBuilder().add("type", vm::text_value("url")).add("url", vm::text_value(url)).done();
  bool is_image = text_field(block, "type") == "image";
  std::string_view type = text_field(block, "media_type");
  if (type.empty()) type = is_image ? "image/png" : "application/pdf";
  return DictBuilder()
      .add("type", vm::text_value("base64"))
      .add("media_type", vm::text_value(type))
      .add("data", field(block, "base64"))
      .done();
}

Value media(const Value& block) {
  std::string_view type = text_field(block, "type");
  if (type == "audio" || media_url(block).empty()) return text_block(media_words(block));
  Value out = DictBuilder().add("type", vm::text_value(type)).add("source", media_source(block)).done();
  if (type == "document") copy(out, "title", block, "name");
  return out;
}

Value reasoning(const Value& block) {
  const Value& opaque = field(block, "opaque");
  // What is no thinking was kept as it came: redacted thinking, calls of tools that run at the provider.
  if (has_field(opaque, "type")) return opaque;
  return DictBuilder()
      .add("type", vm::text_value("thinking"))
      .add("thinking", vm::text_value(text_field(block, "text")))
      .add("signature", field(opaque, "signature"))
      .done();
}

Value result(const Part& part) {
  Value content = vm::new_list();
  if (!part.text.empty()) push(content, text_block(part.text));
  for (const Value& block : items(part.value)) push(content, media(block));
  Value out = DictBuilder()
                  .add("type", vm::text_value("tool_result"))
                  .add("tool_use_id", vm::text_value(part.id))
                  .add("content", std::move(content))
                  .done();
  if (part.is_error) set(out, "is_error", Value::boolean(true));
  return out;
}

Value block_of(const Part& part) {
  switch (part.kind) {
    case Kind::Text: return text_block(part.text);
    case Kind::Media: return media(part.value);
    case Kind::Reasoning: return reasoning(part.value);
    case Kind::Result: return result(part);
    case Kind::Call: break;
  }
  return DictBuilder()
      .add("type", vm::text_value("tool_use"))
      .add("id", vm::text_value(part.id))
      .add("name", vm::text_value(part.name))
      .add("input", part.value)
      .done();
}

void mark_cached(Value& block) {
  set(block, "cache_control", DictBuilder().add("type", vm::text_value("ephemeral")).done());
}

Value message(bool is_user, Value content) {
  return DictBuilder()
      .add("role", vm::text_value(is_user ? "user" : "assistant"))
      .add("content", std::move(content))
      .done();
}

Value messages_of(const Projected& projected, const Value& request) {
  Value messages = vm::new_list();
  bool is_cached = flag_field(request, "cache");
  for (size_t i = 0; i < projected.turns.size(); ++i) {
    const Projected::Turn& turn = projected.turns[i];
    Value content = vm::new_list();
    for (const Part& part : turn.parts) push(content, block_of(part));
    // The last turn is the user's: what is in it can be marked.
    if (is_cached && i + 1 == projected.turns.size()) mark_cached(vm::writable_list(content)->values().back());
    push(messages, message(turn.is_user, std::move(content)));
  }
  // An answer must not begin with the space that this ends with.
  std::string_view prefill = text::trim_end(text_field(request, "prefill"));
  if (!prefill.empty()) {
    Value content = vm::new_list();
    push(content, text_block(prefill));
    push(messages, message(false, std::move(content)));
  }
  return messages;
}

Value tool_of(const Value& tool, bool searches) {
  if (has_field(tool, "native")) return field(tool, "native");
  Value schema = field(tool, "input_schema");
  if (!schema.is_dict() || !has_field(schema, "type")) {
    if (!schema.is_dict()) schema = vm::new_dict();
    set(schema, "type", "object");
  }
  Value out = DictBuilder()
                  .add("name", vm::text_value(sendable_name(text_field(tool, "name"))))
                  .add("description", vm::text_value(text_field(tool, "description")))
                  .add("input_schema", std::move(schema))
                  .done();
  if (searches && flag_field(tool, "defer_loading")) set(out, "defer_loading", Value::boolean(true));
  return out;
}

Value search_tool(const Value& search) {
  std::string_view variant = text_field(search, "variant") == "regex" ? "regex" : "bm25";
  return DictBuilder()
      .add("type", vm::text_value(fmt::format("tool_search_tool_{}_20251119", variant)))
      .add("name", vm::text_value(fmt::format("tool_search_tool_{}", variant)))
      .done();
}

Value tools_of(const Value& request) {
  Value tools = vm::new_list();
  const Value& search = field(request, "tool_search");
  if (!search.is_nil()) push(tools, search_tool(search));
  int64_t last_loaded = -1;
  for (const Value& tool : items_field(request, "tools")) {
    Value made = tool_of(tool, !search.is_nil());
    if (!flag_field(made, "defer_loading")) last_loaded = static_cast<int64_t>(vm::list_size(tools));
    push(tools, std::move(made));
  }
  if (flag_field(request, "cache") && last_loaded >= 0)
    mark_cached(vm::writable_list(tools)->values()[static_cast<size_t>(last_loaded)]);
  return tools;
}

Value choice(std::string_view type, std::string_view name = {}) {
  Value out = DictBuilder().add("type", vm::text_value(type)).done();
  if (!name.empty()) set(out, "name", name);
  return out;
}

Value tool_choice(const Value& asked) {
  if (asked.is_dict()) return choice("tool", sendable_name(text_field(asked, "name")));
  std::string_view word = text_of(asked);
  return word == "required" ? choice("any") : choice(word.empty() ? "auto" : word);
}

bool forces_tool(const Value& body) {
  std::string_view type = text_field(field(body, "tool_choice"), "type");
  return type == "any" || type == "tool";
}

// While the model uses tools, its turn has to begin with what it thought: not so where another provider, or nobody, did.
bool may_think(const Projected& projected) {
  for (size_t i = projected.turns.size(); i-- > 0;) {
    const Projected::Turn& turn = projected.turns[i];
    if (turn.is_user) {
      if (turn.parts.front().kind != Kind::Result) return true;
      continue;
    }
    return turn.parts.front().kind == Kind::Reasoning;
  }
  return true;
}

// Who goes on from a prefill has thought already.
bool ends_with_assistant(const Value& body) {
  const auto& messages = items_field(body, "messages");
  return !messages.empty() && text_field(messages.back(), "role") == "assistant";
}

// Newer models think as much as they find right, and refuse to be given a number.
std::string_view thinking_mode(const Provider& provider, const Value& thinking) {
  std::string_view mode = text_field(thinking, "mode");
  const auto& known = texts_of(provider.capabilities, "thinking_modes");
  auto has = [&](std::string_view name) { return std::ranges::find(known, name) != known.end(); };
  return mode == "enabled" && !has("enabled") && has("adaptive") ? "adaptive" : mode;
}

void add_thinking(Value& body, const Provider& provider, const Value& thinking, const Projected& projected) {
  if (!wants_thinking(thinking) || forces_tool(body)) return;
  std::string_view mode = thinking_mode(provider, thinking);
  if (mode == "effort") {
    Value config = field(body, "output_config");
    if (!config.is_dict()) config = vm::new_dict();
    set(config, "effort", effort_of(thinking));
    set(body, "output_config", std::move(config));
    return;
  }
  if (!may_think(projected) || ends_with_assistant(body)) return;
  if (mode == "adaptive") {
    set(body, "thinking", DictBuilder().add("type", vm::text_value("adaptive")).done());
  } else {
    // At least this, and less than the whole answer may have.
    int64_t budget = std::max(int_field(thinking, "budget_tokens").value_or(8192), kLeastBudget);
    int64_t most = count_field(body, "max_tokens");
    if (most <= budget) set(body, "max_tokens", Value::integer(budget + most));
    set(body, "thinking",
        DictBuilder().add("type", vm::text_value("enabled")).add("budget_tokens", Value::integer(budget)).done());
  }
  // Thinking goes with the usual sampling only.
  vm::dict_erase(body, "temperature");
  vm::dict_erase(body, "top_k");
  vm::dict_erase(body, "top_p");
}

void tell_schema(Value& body, const Value& schema) {
  std::string text = "Answer with one JSON value and nothing else that fits this JSON Schema:\n";
  if (!data::append_json(text, schema)) return;
  Value system = field(body, "system");
  if (!system.is_list()) system = vm::new_list();
  push(system, text_block(text));
  set(body, "system", std::move(system));
}

// A schema: by the provider itself where it can, else as the input of a tool that has to be called.
void add_output(Value& body, const Provider& provider, const Value& output) {
  if (text_field(output, "kind") != "json_schema") return;
  bool is_native = text_of(provider.capabilities, "structured_output_mode") == "native_json";
  ClosedSchema closed = closed_schema(field(output, "schema"), true);
  if (is_native && closed.is_for_claude) {
    Value format =
        DictBuilder().add("type", vm::text_value("json_schema")).add("schema", std::move(closed.schema)).done();
    set(body, "output_config", DictBuilder().add("format", std::move(format)).done());
    return;
  }
  // The answer may still be a call of one of those. Older models have been told in their system prompt.
  if (list_size(field(body, "tools")) > 0) {
    if (is_native) tell_schema(body, field(output, "schema"));
    return;
  }
  Value tool = DictBuilder()
                   .add("name", vm::text_value(schema_tool_name(output)))
                   .add("description", vm::text_value("Gives the answer."))
                   .add("input_schema", field(output, "schema"))
                   .done();
  Value tools = vm::new_list();
  push(tools, std::move(tool));
  set(body, "tools", std::move(tools));
  set(body, "tool_choice", choice("tool", schema_tool_name(output)));
}

// Calls in the conversation need tools, also where the request has none: those that were called, to be called no more.
void add_called_tools(Value& body, const Projected& projected) {
  std::set<std::string> names;
  for (const Projected::Turn& turn : projected.turns) {
    for (const Part& part : turn.parts) {
      if (part.kind == Kind::Call) names.insert(part.name);
    }
  }
  if (names.empty()) return;
  Value tools = vm::new_list();
  for (const std::string& name : names)
    push(tools, tool_of(DictBuilder().add("name", vm::text_value(name)).done(), false));
  set(body, "tools", std::move(tools));
  set(body, "tool_choice", choice("none"));
}

}  // namespace

vm::Outcome<Value> anthropic_body(const Provider& provider, const Value& request) {
  Projected projected = project(request);
  Value body = DictBuilder()
                   .add("model", field(request, "model"))
                   .add("messages", messages_of(projected, request))
                   .add("max_tokens", Value::integer(int_field(request, "max_tokens").value_or(kUsualMaxTokens)))
                   .done();
  if (!text::trim(projected.system).empty()) {
    Value block = text_block(projected.system);
    if (flag_field(request, "cache")) mark_cached(block);
    Value system = vm::new_list();
    push(system, std::move(block));
    set(body, "system", std::move(system));
  }
  set(body, "tools", tools_of(request));
  if (has_field(request, "tool_choice") && list_size(field(body, "tools")) > 0)
    set(body, "tool_choice", tool_choice(field(request, "tool_choice")));
  for (std::string_view name : {"temperature", "top_p", "top_k"}) {
    if (!flag_of(provider.capabilities, "fixed_sampling")) copy(body, name, request, name);
  }
  copy(body, "stop_sequences", request, "stop");
  add_output(body, provider, field(request, "output"));
  add_thinking(body, provider, field(request, "thinking"), projected);
  if (list_size(field(body, "tools")) == 0) add_called_tools(body, projected);
  if (list_size(field(body, "tools")) == 0) vm::dict_erase(body, "tools");
  return body;
}

}  // namespace harn::llm
