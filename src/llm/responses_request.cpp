// OpenAI Responses.
#include "base/text.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Part = Projected::Part;
using Kind = Projected::Part::Kind;

Value text_item(bool is_user, std::string_view words) {
  return DictBuilder()
      .add("type", vm::text_value(is_user ? "input_text" : "output_text"))
      .add("text", vm::text_value(words))
      .done();
}

Value media(const Value& block) {
  std::string_view type = text_field(block, "type");
  std::string url = media_url(block);
  if (type == "image" && !url.empty()) {
    Value image = DictBuilder().add("type", vm::text_value("input_image")).add("image_url", vm::text_value(url)).done();
    copy(image, "detail", block, "detail");
    return image;
  }
  if (type == "document" && !url.empty()) {
    Value file = DictBuilder().add("type", vm::text_value("input_file")).done();
    if (has_field(block, "url")) {
      set(file, "file_url", url);
    } else {
      std::string_view name = text_field(block, "name");
      set(file, "filename", name.empty() ? "document.pdf" : name);
      set(file, "file_data", url);
    }
    return file;
  }
  return text_item(true, media_words(block));
}

Value call_of(const Part& part) {
  return DictBuilder()
      .add("type", vm::text_value("function_call"))
      .add("call_id", vm::text_value(part.id))
      .add("name", vm::text_value(part.name))
      .add("arguments", vm::text_value(json_text(part.value)))
      .done();
}

Value result_of(const Part& part) {
  Value output = vm::text_value(part.text);
  if (list_size(part.value) > 0) {
    output = vm::new_list();
    if (!part.text.empty()) push(output, text_item(true, part.text));
    for (const Value& block : items(part.value)) push(output, media(block));
  }
  return DictBuilder()
      .add("type", vm::text_value("function_call_output"))
      .add("call_id", vm::text_value(part.id))
      .add("output", std::move(output))
      .done();
}

// Messages hold neighbouring texts and media; all else is an item of its own.
class Items {
 public:
  void add_turn(const Projected::Turn& turn) {
    for (const Part& part : turn.parts) {
      switch (part.kind) {
        case Kind::Text: add_content(turn.is_user, text_item(turn.is_user, part.text)); break;
        case Kind::Media: add_content(true, media(part.value)); break;
        case Kind::Call: add(call_of(part)); break;
        case Kind::Result: add(result_of(part)); break;
        case Kind::Reasoning: add(field(part.value, "opaque")); break;
      }
    }
    end_message();
  }
  Value done() { return std::move(list_); }

 private:
  void add_content(bool is_user, Value part) {
    is_user_ = is_user;
    push(content_, std::move(part));
  }
  void add(Value item) {
    end_message();
    push(list_, std::move(item));
  }
  void end_message() {
    if (list_size(content_) == 0) return;
    push(list_, DictBuilder()
                    .add("type", vm::text_value("message"))
                    .add("role", vm::text_value(is_user_ ? "user" : "assistant"))
                    .add("content", std::exchange(content_, vm::new_list()))
                    .done());
  }

  Value list_ = vm::new_list();
  Value content_ = vm::new_list();
  bool is_user_ = true;
};

Value flat_function_tool(const Value& tool) {
  Value out = field(function_tool(tool), "function");
  set(out, "type", "function");
  set(out, "strict", Value::boolean(false));
  return out;
}

void add_tools(Value& body, const Value& request) {
  std::string chosen = add_openai_tools(body, request, flat_function_tool);
  if (chosen.empty()) return;
  set(body, "tool_choice",
      DictBuilder().add("type", vm::text_value("function")).add("name", vm::text_value(chosen)).done());
}

void add_output(Value& body, const Value& output) {
  std::string_view kind = text_field(output, "kind");
  if (kind.empty()) return;
  Value format = kind == "json_schema" ? named_schema(output) : vm::new_dict();
  set(format, "type", kind);
  set(body, "text", DictBuilder().add("format", std::move(format)).done());
  if (kind != "json_object") return;
  // It is refused unless a message speaks of JSON, and what is in `instructions` is no message.
  Value content = vm::new_list();
  push(content,
       DictBuilder().add("type", vm::text_value("input_text")).add("text", vm::text_value("Answer in JSON.")).done());
  Value input = vm::new_list();
  push(input, DictBuilder()
                  .add("type", vm::text_value("message"))
                  .add("role", vm::text_value("developer"))
                  .add("content", std::move(content))
                  .done());
  for (const Value& item : items_field(body, "input")) push(input, item);
  set(body, "input", std::move(input));
}

void add_thinking(Value& body, const Provider& provider, const Value& thinking) {
  if (wants_thinking(thinking)) {
    Value reasoning = DictBuilder().add("summary", vm::text_value("auto")).done();
    if (std::string effort = effort_of(thinking); !effort.empty()) set(reasoning, "effort", effort);
    set(body, "reasoning", std::move(reasoning));
  } else if (!thinking.is_nil() && flag_of(provider.capabilities, "reasoning_none_supported")) {
    set(body, "reasoning", DictBuilder().add("effort", vm::text_value("none")).done());
  }
  if (!flag_of(provider.capabilities, "thinking")) return;
  // Nothing is kept at the provider: what the model thought comes back to us, encrypted, and goes along with the next request.
  Value include = vm::new_list();
  push(include, vm::text_value("reasoning.encrypted_content"));
  set(body, "include", std::move(include));
}

}  // namespace

vm::Outcome<Value> responses_body(const Provider& provider, const Value& request) {
  if (!text::trim(text_field(request, "prefill")).empty())
    return vm::throw_text(ErrorKind::Unsupported, "the provider `{}` cannot go on from a `prefill`", provider.name);
  Projected projected = project(request);
  Items input;
  for (const Projected::Turn& turn : projected.turns) input.add_turn(turn);
  Value body = DictBuilder()
                   .add("model", field(request, "model"))
                   .add("input", input.done())
                   .add("store", Value::boolean(false))
                   .done();
  if (!text::trim(projected.system).empty()) set(body, "instructions", projected.system);
  copy(body, "max_output_tokens", request, "max_tokens");
  if (!flag_of(provider.capabilities, "fixed_sampling")) {
    copy(body, "temperature", request, "temperature");
    copy(body, "top_p", request, "top_p");
  }
  add_tools(body, request);
  add_output(body, field(request, "output"));
  add_thinking(body, provider, field(request, "thinking"));
  return body;
}

}  // namespace harn::llm
