#pragma once

#include <string>

#include "llm/fields.h"
#include "llm/projection.h"
#include "llm/wire.h"

// The parts of requests that several wire formats have in common. An adapter makes the body; `encode` does the rest.
namespace harn::llm {

// One function per format; a body that is a dict.
vm::Outcome<Value> anthropic_body(const Provider& provider, const Value& request);
vm::Outcome<Value> chat_body(const Provider& provider, const Value& request);
vm::Outcome<Value> responses_body(const Provider& provider, const Value& request);
vm::Outcome<Value> ollama_body(const Provider& provider, const Value& request);

// The headers by which a provider knows who asks, and those that it wants with each request.
std::vector<effects::HttpHeader> provider_headers(const Provider& provider, std::string_view key);

// Which of its formats a provider is asked in.
Wire wire_for(const Provider& provider, const Value& request);

inline void set(Value& dict, std::string_view name, Value value) { vm::dict_set(dict, name, std::move(value)); }
inline void set(Value& dict, std::string_view name, std::string_view text) { set(dict, name, vm::text_value(text)); }
// What the request says about `name`, under another name; nothing where it is nil.
inline void copy(Value& body, std::string_view to, const Value& request, std::string_view name) {
  if (const Value& value = field(request, name); !value.is_nil()) set(body, to, value);
}

// A schema in which no object takes properties it does not name.
struct ClosedSchema {
  Value schema = {};
  bool is_strict = true;      // OpenAI's strict mode takes it
  bool is_for_claude = true;  // so does Anthropic's structured output, `for_claude`: without what it refuses
};
ClosedSchema closed_schema(const Value& schema, bool for_claude = false);
// {name, schema, strict} of what an answer of OpenAI's models is to be like.
Value named_schema(const Value& output);

// "data:image/png;base64,..." or the URL of a block of media; empty: it has neither.
std::string media_url(const Value& block);
// {type: "function", function: {name, description, parameters}}
Value function_tool(const Value& tool);
// The level of effort that thinking asks for; empty: none, or as the provider likes.
std::string effort_of(const Value& thinking);
bool wants_thinking(const Value& thinking);
// The tool that stands for a schema where the provider has no other way to one.
inline std::string schema_tool_name(const Value& output) {
  std::string_view name = text_field(output, "name");
  return name.empty() ? "answer" : sendable_name(name);
}
// The tools of OpenAI's formats, and which of them the model is to choose: `written` turns ours into the format's, and
// what goes to the provider as it is (`native`) stays so. The format writes the choice of one by its name, which this
// gives; empty: there is none.
std::string add_openai_tools(Value& body, const Value& request, Value (*written)(const Value& tool));

}  // namespace harn::llm
