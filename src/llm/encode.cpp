#include "llm/encode.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "base/url.h"
#include "data/json.h"
#include "llm/catalog.h"

namespace harn::llm {

namespace {

// What stands under a keyword of a schema.
enum class Content : uint8_t { Data, Schema, Schemas, ByName };
// What Anthropic's structured output makes of a keyword: it knows it, refuses schemas that have it although they mean little without
// (the answer is checked here anyway), or cannot say what it says.
enum class Claude : uint8_t { Knows, Drops, Cannot };
struct Keyword {
  std::string_view name;
  Content content;
  bool is_strict;  // OpenAI's strict mode takes it
  Claude claude;
};
constexpr Keyword kKeywords[] = {
    {"properties", Content::ByName, true, Claude::Knows},
    {"$defs", Content::ByName, true, Claude::Knows},
    {"definitions", Content::ByName, true, Claude::Knows},
    {"items", Content::Schema, true, Claude::Knows},
    {"additionalProperties", Content::Schema, true, Claude::Knows},
    {"anyOf", Content::Schemas, true, Claude::Knows},
    {"allOf", Content::Schemas, false, Claude::Knows},
    {"oneOf", Content::Schemas, false, Claude::Cannot},
    {"prefixItems", Content::Schemas, false, Claude::Cannot},
    {"not", Content::Schema, false, Claude::Cannot},
    {"if", Content::Schema, false, Claude::Cannot},
    {"then", Content::Schema, false, Claude::Cannot},
    {"else", Content::Schema, false, Claude::Cannot},
    {"contains", Content::Schema, false, Claude::Cannot},
    {"propertyNames", Content::Schema, false, Claude::Cannot},
    {"patternProperties", Content::ByName, false, Claude::Cannot},
    {"dependentSchemas", Content::ByName, false, Claude::Cannot},
    {"dependentRequired", Content::Data, false, Claude::Cannot},
    {"minLength", Content::Data, false, Claude::Drops},
    {"maxLength", Content::Data, false, Claude::Drops},
    {"minimum", Content::Data, true, Claude::Drops},
    {"maximum", Content::Data, true, Claude::Drops},
    {"exclusiveMinimum", Content::Data, true, Claude::Drops},
    {"exclusiveMaximum", Content::Data, true, Claude::Drops},
    {"multipleOf", Content::Data, true, Claude::Drops},
    {"minItems", Content::Data, true, Claude::Drops},
    {"maxItems", Content::Data, true, Claude::Drops},
    {"uniqueItems", Content::Data, false, Claude::Drops},
    {"minProperties", Content::Data, false, Claude::Drops},
    {"maxProperties", Content::Data, false, Claude::Drops},
    {"default", Content::Data, false, Claude::Knows},
};

const Keyword* find_keyword(std::string_view name) {
  auto found = std::ranges::find(kKeywords, name, &Keyword::name);
  return found == std::end(kKeywords) ? nullptr : found;
}

Value closed(const Value& schema, bool for_claude, ClosedSchema& out);

Value closed_below(Content content, const Value& value, bool for_claude, ClosedSchema& out) {
  if (content == Content::Schema) return closed(value, for_claude, out);
  if (content == Content::Schemas && value.is_list()) {
    Value list = vm::new_list();
    for (const Value& item : items(value)) push(list, closed(item, for_claude, out));
    return list;
  }
  if (content == Content::ByName && value.is_dict()) {
    Value named = vm::new_dict();
    for (auto [name, item] : value.as_dict()->entries()) set(named, name->view(), closed(*item, for_claude, out));
    return named;
  }
  return value;
}

Value closed(const Value& schema, bool for_claude, ClosedSchema& out) {
  if (!schema.is_dict()) return schema;
  Value made = vm::new_dict();
  for (auto [key, value] : schema.as_dict()->entries()) {
    const Keyword* keyword = find_keyword(key->view());
    if (keyword && !keyword->is_strict) out.is_strict = false;
    if (keyword && keyword->claude == Claude::Cannot) out.is_for_claude = false;
    if (for_claude && keyword && keyword->claude == Claude::Drops) continue;
    set(made, key->view(), closed_below(keyword ? keyword->content : Content::Data, *value, for_claude, out));
  }
  const Value& properties = field(schema, "properties");
  if (text_field(schema, "type") != "object" && !properties.is_dict()) return made;
  if (!has_field(schema, "additionalProperties")) set(made, "additionalProperties", Value::boolean(false));
  else if (!field(schema, "additionalProperties").is_bool() || flag_field(schema, "additionalProperties"))
    out.is_strict = out.is_for_claude = false;
  size_t named = properties.is_dict() ? properties.as_dict()->size() : 0;
  if (items_field(schema, "required").size() != named) out.is_strict = false;
  return made;
}

}  // namespace

ClosedSchema closed_schema(const Value& schema, bool for_claude) {
  ClosedSchema out;
  out.schema = closed(schema, for_claude, out);
  return out;
}

static std::string media_type_of(const Value& block) {
  std::string_view type = text_field(block, "media_type");
  if (!type.empty()) return std::string(type);
  return text_field(block, "type") == "image" ? "image/png" : "application/pdf";
}

std::string media_url(const Value& block) {
  if (std::string_view url = text_field(block, "url"); !url.empty()) return std::string(url);
  std::string_view bytes = text_field(block, "base64");
  return bytes.empty() ? "" : fmt::format("data:{};base64,{}", media_type_of(block), bytes);
}

Value function_tool(const Value& tool) {
  Value function = DictBuilder()
                       .add("name", vm::text_value(sendable_name(text_field(tool, "name"))))
                       .add("description", vm::text_value(text_field(tool, "description")))
                       .done();
  Value schema = field(tool, "input_schema");
  if (!schema.is_dict())
    schema = DictBuilder().add("type", vm::text_value("object")).add("properties", vm::new_dict()).done();
  set(function, "parameters", std::move(schema));
  return DictBuilder().add("type", vm::text_value("function")).add("function", std::move(function)).done();
}

Value named_schema(const Value& output) {
  ClosedSchema closed = closed_schema(field(output, "schema"));
  bool is_strict = flag_field(output, "strict") && closed.is_strict;
  return DictBuilder()
      .add("name", vm::text_value(schema_tool_name(output)))
      .add("schema", is_strict ? std::move(closed.schema) : field(output, "schema"))
      .add("strict", Value::boolean(is_strict))
      .done();
}

bool wants_thinking(const Value& thinking) {
  std::string_view mode = text_field(thinking, "mode");
  return !mode.empty() && mode != "disabled";
}

std::string effort_of(const Value& thinking) {
  if (!wants_thinking(thinking)) return "";
  if (std::string_view level = text_field(thinking, "level"); !level.empty()) return std::string(level);
  auto budget = int_field(thinking, "budget_tokens");
  if (!budget) return text_field(thinking, "mode") == "adaptive" ? "" : "medium";
  return *budget < 4096 ? "low" : *budget < 16384 ? "medium" : "high";
}

namespace {

// The search of deferred tools by OpenAI's models; nil: not asked for.
Value hosted_search(const Value& request) {
  if (!has_field(request, "tool_search")) return Value();
  Value search = DictBuilder().add("type", vm::text_value("tool_search")).add("mode", vm::text_value("hosted")).done();
  std::vector<std::string_view> names;
  for (const Value& tool : items_field(request, "tools")) {
    std::string_view name = text_field(tool, "namespace");
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return search;
  Value list = vm::new_list();
  for (std::string_view name : names) push(list, vm::text_value(name));
  set(search, "namespaces", std::move(list));
  return search;
}

}  // namespace

std::string add_openai_tools(Value& body, const Value& request, Value (*written)(const Value& tool)) {
  Value tools = vm::new_list();
  Value search = hosted_search(request);
  bool searches = !search.is_nil();
  if (searches) push(tools, std::move(search));
  for (const Value& tool : items_field(request, "tools")) {
    bool is_native = has_field(tool, "native");
    Value made = is_native ? field(tool, "native") : written(tool);
    if (searches && !is_native && flag_field(tool, "defer_loading")) set(made, "defer_loading", Value::boolean(true));
    push(tools, std::move(made));
  }
  if (list_size(tools) == 0) return "";
  set(body, "tools", std::move(tools));
  const Value& choice = field(request, "tool_choice");
  if (choice.is_dict()) return sendable_name(text_field(choice, "name"));
  copy(body, "tool_choice", request, "tool_choice");
  return "";
}

std::vector<effects::HttpHeader> provider_headers(const Provider& provider, std::string_view key) {
  std::vector<effects::HttpHeader> headers;
  for (const auto& [name, value] : provider.headers) headers.push_back({name, value});
  if (key.empty()) return headers;
  if (provider.auth_style == "bearer") headers.push_back({"authorization", fmt::format("Bearer {}", key)});
  if (provider.auth_style == "header") headers.push_back({provider.auth_header, std::string(key)});
  return headers;
}

Wire wire_for(const Provider& provider, const Value& request) {
  if (provider.wire != Wire::OpenAiChat || provider.responses_endpoint.empty()) return provider.wire;
  bool is_responses =
      has_field(request, "tool_search") || text_of(provider.capabilities, "message_wire_format") == "openai_responses";
  return is_responses ? Wire::OpenAiResponses : Wire::OpenAiChat;
}

namespace {

std::string url_of(const Provider& provider, Wire wire, const Value& request) {
  const std::string& path =
      wire == Wire::OpenAiResponses && provider.wire != wire ? provider.responses_endpoint : provider.chat_endpoint;
  std::string model = percent_encoded(text_field(request, "model"));
  return text::replace_all(provider.base_url + path, "{model}", model);
}

// What a program adds by hand: dicts are merged, so that `options: {num_ctx: 4096}` leaves the other options alone.
void merge_extra(Value& body, const Value& extra) {
  if (!extra.is_dict()) return;
  for (auto [key, value] : extra.as_dict()->entries()) {
    Value old = field(body, key->view());
    if (old.is_dict() && value->is_dict()) {
      vm::dict_merge(old, value->as_dict());
      set(body, key->view(), std::move(old));
    } else {
      set(body, key->view(), *value);
    }
  }
}

std::vector<effects::HttpHeader> headers_of(const Provider& provider, Wire wire, const Value& request, bool streams,
                                            std::string_view key) {
  std::vector<effects::HttpHeader> headers = {{"content-type", "application/json"}};
  bool is_events = streams && wire != Wire::Ollama;
  headers.push_back({"accept", is_events ? "text/event-stream" : "application/json"});
  for (effects::HttpHeader& header : provider_headers(provider, key)) headers.push_back(std::move(header));
  std::string betas;
  auto add_beta = [&](std::string_view name) { betas += fmt::format("{}{}", betas.empty() ? "" : ",", name); };
  for (const Value& beta : items_field(request, "beta")) {
    if (!text_of(beta).empty()) add_beta(text_of(beta));
  }
  if (has_field(request, "tool_search")) add_beta("advanced-tool-use-2025-11-20");
  if (flag_field(request, "interleaved_thinking")) add_beta("interleaved-thinking-2025-05-14");
  if (wire == Wire::Anthropic && !betas.empty()) headers.push_back({"anthropic-beta", betas});
  return headers;
}

vm::Outcome<Value> body_of(const Provider& provider, Wire wire, const Value& request) {
  switch (wire) {
    case Wire::Anthropic: return anthropic_body(provider, request);
    case Wire::OpenAiChat: return chat_body(provider, request);
    case Wire::OpenAiResponses: return responses_body(provider, request);
    case Wire::Ollama: return ollama_body(provider, request);
    case Wire::Mock:
    case Wire::ClaudeCode:
    case Wire::Codex: break;
  }
  return vm::throw_text(ErrorKind::Unsupported, "the provider `{}` answers within the program and has no wire format",
                        provider.name);
}

}  // namespace

vm::Outcome<WireCall> encode(const Provider& provider, const Value& request, std::string_view key) {
  WireCall call{.wire = wire_for(provider, request), .streams = flag_field(request, "stream")};
  if (provider.base_url.empty())
    return vm::throw_text(ErrorKind::Invalid, "the provider `{}` has no address: set its base_url", provider.name);
  Value body = HARN_TRY(body_of(provider, call.wire, request));
  set(body, "stream", Value::boolean(call.streams));
  for (const auto& [name, setting] : provider.defaults) {
    if (!has_field(body, name)) set(body, name, value_of(setting));
  }
  for (const std::string& name : provider.refuses) vm::dict_erase(body, name);
  merge_extra(body, field(request, "extra"));
  if (auto written = data::append_json(call.body, body); !written)
    return vm::throw_text(written.error().kind, "the request to `{}` cannot be written: {}", provider.name,
                          written.error().text());
  call.url = url_of(provider, call.wire, request);
  call.headers = headers_of(provider, call.wire, request, call.streams, key);
  return call;
}

}  // namespace harn::llm
