// Ollama's /api/chat.
#include "base/fmt.h"
#include "base/text.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Part = Projected::Part;
using Kind = Projected::Part::Kind;

// Pictures go beside the text, as base64; others are named in it.
struct Content {
  std::string text;
  Value images = vm::new_list();

  void add(std::string_view words) {
    if (!text.empty()) text += "\n\n";
    text += words;
  }
  void add_media(const Value& block) {
    bool is_picture = text_field(block, "type") == "image" && has_field(block, "base64");
    if (is_picture) push(images, field(block, "base64"));
    else add(media_words(block));
  }
  bool is_empty() const { return text.empty() && list_size(images) == 0; }
};

Value message(std::string_view role, Content content) {
  Value out = DictBuilder().add("role", vm::text_value(role)).add("content", vm::text_value(content.text)).done();
  if (list_size(content.images) > 0) set(out, "images", std::move(content.images));
  return out;
}

Value result(const Part& part) {
  Content content{.text = part.text};
  for (const Value& block : items(part.value)) content.add_media(block);
  if (content.text.empty()) content.text = "(an image)";
  Value out = message("tool", std::move(content));
  set(out, "tool_name", part.name);
  return out;
}

Value call_of(const Part& part) {
  Value function = DictBuilder().add("name", vm::text_value(part.name)).add("arguments", part.value).done();
  return DictBuilder().add("function", std::move(function)).done();
}

void add_turn(Value& messages, const Projected::Turn& turn) {
  Content content;
  Value calls = vm::new_list();
  for (const Part& part : turn.parts) {
    switch (part.kind) {
      case Kind::Text: content.add(part.text); break;
      case Kind::Media: content.add_media(part.value); break;
      case Kind::Call: push(calls, call_of(part)); break;
      case Kind::Result: push(messages, result(part)); break;
      case Kind::Reasoning: break;
    }
  }
  if (content.is_empty() && list_size(calls) == 0) return;
  Value out = message(turn.is_user ? "user" : "assistant", std::move(content));
  if (list_size(calls) > 0) set(out, "tool_calls", std::move(calls));
  push(messages, std::move(out));
}

Value messages_of(const Value& request) {
  Projected projected = project(request);
  Value messages = vm::new_list();
  if (!text::trim(projected.system).empty()) push(messages, message("system", {.text = projected.system}));
  for (const Projected::Turn& turn : projected.turns) add_turn(messages, turn);
  if (std::string_view prefill = text_field(request, "prefill"); !text::trim(prefill).empty())
    push(messages, message("assistant", {.text = std::string(prefill)}));
  return messages;
}

Value options_of(const Provider& provider, const Value& request) {
  Value options = vm::new_dict();
  if (provider.context_tokens > 0) set(options, "num_ctx", Value::integer(provider.context_tokens));
  copy(options, "num_predict", request, "max_tokens");
  for (std::string_view name :
       {"temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"}) {
    copy(options, name, request, name);
  }
  return options;
}

Value thinking_of(const Value& thinking) {
  if (!wants_thinking(thinking)) return Value::boolean(false);
  std::string_view level = text_field(thinking, "level");
  return level.empty() ? Value::boolean(true) : vm::text_value(level);
}

}  // namespace

vm::Outcome<Value> ollama_body(const Provider& provider, const Value& request) {
  Value body = DictBuilder()
                   .add("model", field(request, "model"))
                   .add("messages", messages_of(request))
                   .add("options", options_of(provider, request))
                   .done();
  if (!provider.keep_alive.empty())
    set(body, "keep_alive", provider.keep_alive == "-1" ? Value::integer(-1) : vm::text_value(provider.keep_alive));
  Value tools = vm::new_list();
  for (const Value& tool : items_field(request, "tools"))
    push(tools, has_field(tool, "native") ? field(tool, "native") : function_tool(tool));
  // There is no choice of tools here: where none may be called, none is offered.
  bool may_call = text_field(request, "tool_choice") != "none";
  if (list_size(tools) > 0 && may_call) set(body, "tools", std::move(tools));
  const Value& output = field(request, "output");
  if (text_field(output, "kind") == "json_object") set(body, "format", "json");
  if (text_field(output, "kind") == "json_schema") copy(body, "format", output, "schema");
  if (has_field(request, "thinking")) set(body, "think", thinking_of(field(request, "thinking")));
  return body;
}

}  // namespace harn::llm
