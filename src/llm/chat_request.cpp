// OpenAI Chat Completions, and what speaks it.
#include <algorithm>
#include <span>

#include "base/fmt.h"
#include "base/text.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Part = Projected::Part;
using Kind = Projected::Part::Kind;

Value message(std::string_view role, Value content) {
  return DictBuilder().add("role", vm::text_value(role)).add("content", std::move(content)).done();
}

std::string_view audio_format(const Value& block) {
  std::string_view type = text_field(block, "media_type");
  return type.find("wav") != type.npos ? "wav" : "mp3";
}

Value media(const Value& block) {
  std::string_view type = text_field(block, "type");
  std::string url = media_url(block);
  if (type == "image" && !url.empty()) {
    Value image = DictBuilder().add("url", vm::text_value(url)).done();
    copy(image, "detail", block, "detail");
    return DictBuilder().add("type", vm::text_value("image_url")).add("image_url", std::move(image)).done();
  }
  if (type == "audio" && has_field(block, "base64")) {
    Value audio =
        DictBuilder().add("data", field(block, "base64")).add("format", vm::text_value(audio_format(block))).done();
    return DictBuilder().add("type", vm::text_value("input_audio")).add("input_audio", std::move(audio)).done();
  }
  if (type == "document" && has_field(block, "base64")) {
    std::string_view name = text_field(block, "name");
    Value file = DictBuilder()
                     .add("filename", vm::text_value(name.empty() ? "document.pdf" : name))
                     .add("file_data", vm::text_value(url))
                     .done();
    return DictBuilder().add("type", vm::text_value("file")).add("file", std::move(file)).done();
  }
  return text_block(media_words(block));
}

// Results of tools can hold text only: their images are shown by the user.
void add_user_turn(Value& messages, const Projected::Turn& turn) {
  Value parts = vm::new_list();
  bool is_text = true;
  std::string all_text;
  auto add_text = [&](std::string_view words) {
    push(parts, text_block(words));
    all_text += fmt::format("{}{}", all_text.empty() ? "" : "\n\n", words);
  };
  for (const Part& part : turn.parts) {
    if (part.kind == Kind::Text) add_text(part.text);
    if (part.kind == Kind::Media) push(parts, media(part.value)), is_text = false;
    if (part.kind != Kind::Result) continue;
    Value result = message("tool", vm::text_value(part.text.empty() ? "(see the following message)" : part.text));
    set(result, "tool_call_id", part.id);
    push(messages, std::move(result));
    for (const Value& block : items(part.value)) push(parts, media(block)), is_text = false;
  }
  if (list_size(parts) == 0) return;
  // One text is a string: some servers know nothing else.
  push(messages, message("user", is_text ? vm::text_value(all_text) : std::move(parts)));
}

Value call_of(const Part& part) {
  Value function = DictBuilder()
                       .add("name", vm::text_value(part.name))
                       .add("arguments", vm::text_value(json_text(part.value)))
                       .done();
  return DictBuilder()
      .add("id", vm::text_value(part.id))
      .add("type", vm::text_value("function"))
      .add("function", std::move(function))
      .done();
}

void add_assistant_turn(Value& messages, const Projected::Turn& turn) {
  std::string words;
  Value calls = vm::new_list();
  Value details = vm::new_list();
  for (const Part& part : turn.parts) {
    if (part.kind == Kind::Text) words += fmt::format("{}{}", words.empty() ? "" : "\n\n", part.text);
    if (part.kind == Kind::Call) push(calls, call_of(part));
    if (part.kind != Kind::Reasoning) continue;
    for (const Value& detail : items_field(field(part.value, "opaque"), "reasoning_details")) push(details, detail);
  }
  Value out = message("assistant", words.empty() ? Value() : vm::text_value(words));
  if (list_size(calls) > 0) set(out, "tool_calls", std::move(calls));
  if (list_size(details) > 0) set(out, "reasoning_details", std::move(details));
  push(messages, std::move(out));
}

// What is before a mark is kept by the provider for the next request.
Value marked(Value message) {
  Value content = field(message, "content");
  Value parts = content;
  if (content.is_string()) {
    parts = vm::new_list();
    push(parts, text_block(text_of(content)));
  }
  if (list_size(parts) == 0) return message;
  Value last = vm::writable_list(parts)->values().back();
  set(last, "cache_control", DictBuilder().add("type", vm::text_value("ephemeral")).done());
  vm::writable_list(parts)->values().back() = std::move(last);
  set(message, "content", std::move(parts));
  return message;
}

// The system prompt, and as far as the user's last message.
void mark_cached(Value& messages) {
  std::span<Value> all = vm::writable_list(messages)->values();
  if (!all.empty() && text_field(all.front(), "role") == "system") all.front() = marked(all.front());
  auto last =
      std::find_if(all.rbegin(), all.rend(), [](const Value& one) { return text_field(one, "role") == "user"; });
  if (last != all.rend()) *last = marked(*last);
}

Value messages_of(const Provider& provider, const Value& request) {
  Projected projected = project(request);
  Value messages = vm::new_list();
  bool is_developer = flag_of(provider.capabilities, "prefers_role_developer");
  if (!text::trim(projected.system).empty())
    push(messages, message(is_developer ? "developer" : "system", vm::text_value(projected.system)));
  for (const Projected::Turn& turn : projected.turns)
    turn.is_user ? add_user_turn(messages, turn) : add_assistant_turn(messages, turn);
  if (flag_field(request, "cache") && provider.wants_cache_marks && flag_of(provider.capabilities, "prompt_caching"))
    mark_cached(messages);
  if (std::string_view prefill = text_field(request, "prefill"); !text::trim(prefill).empty())
    push(messages, message("assistant", vm::text_value(prefill)));
  return messages;
}

void add_tools(Value& body, const Value& request) {
  std::string chosen = add_openai_tools(body, request, function_tool);
  if (chosen.empty()) return;
  Value function = DictBuilder().add("name", vm::text_value(chosen)).done();
  set(body, "tool_choice",
      DictBuilder().add("type", vm::text_value("function")).add("function", std::move(function)).done());
}

void add_output(Value& body, const Provider& provider, const Value& output) {
  std::string_view kind = text_field(output, "kind");
  if (kind.empty()) return;
  // Servers that know no schemas refuse requests that have one; the system prompt tells it.
  std::string_view mode = text_of(provider.capabilities, "structured_output_mode");
  if (kind == "json_schema" && !mode.empty() && mode != "native_json") return;
  Value format = DictBuilder().add("type", vm::text_value(kind)).done();
  if (kind == "json_schema") set(format, "json_schema", named_schema(output));
  set(body, "response_format", std::move(format));
}

void add_thinking(Value& body, const Provider& provider, const Value& thinking) {
  if (thinking.is_nil() || provider.thinking_field == "none") return;
  std::string effort = effort_of(thinking);
  bool is_on = wants_thinking(thinking);
  if (provider.thinking_field == "enable_thinking") {
    set(body, "enable_thinking", Value::boolean(is_on));
    if (is_on) copy(body, "thinking_budget", thinking, "budget_tokens");
  } else if (provider.thinking_field == "reasoning") {
    Value reasoning = DictBuilder().add("enabled", Value::boolean(is_on)).done();
    if (is_on && has_field(thinking, "budget_tokens")) copy(reasoning, "max_tokens", thinking, "budget_tokens");
    else if (!effort.empty()) set(reasoning, "effort", effort);
    set(body, "reasoning", std::move(reasoning));
  } else if (!effort.empty()) {
    set(body, "reasoning_effort", effort);
  } else if (!is_on && flag_of(provider.capabilities, "reasoning_none_supported")) {
    set(body, "reasoning_effort", "none");
  }
}

}  // namespace

vm::Outcome<Value> chat_body(const Provider& provider, const Value& request) {
  Value body =
      DictBuilder().add("model", field(request, "model")).add("messages", messages_of(provider, request)).done();
  copy(body, provider.max_tokens_field, request, "max_tokens");
  for (std::string_view name : {"temperature", "top_p", "frequency_penalty", "presence_penalty"}) {
    if (!flag_of(provider.capabilities, "fixed_sampling")) copy(body, name, request, name);
  }
  for (std::string_view name : {"top_k", "seed", "stop"}) copy(body, name, request, name);
  add_tools(body, request);
  add_output(body, provider, field(request, "output"));
  add_thinking(body, provider, field(request, "thinking"));
  if (flag_field(request, "stream") && provider.tells_stream_usage)
    set(body, "stream_options", DictBuilder().add("include_usage", Value::boolean(true)).done());
  return body;
}

}  // namespace harn::llm
