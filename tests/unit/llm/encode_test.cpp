#include "values.h"

#include "llm/encode.h"

namespace harn::llm {
namespace {

Value body_of(const Provider& provider, std::string_view request) {
  auto call = encode(provider, parsed(request), "sk-key-for-tests");
  EXPECT_TRUE(call) << (call ? "" : vm::describe(*call.error()));
  return call ? parsed(call->body) : Value();
}

std::string header(const WireCall& call, std::string_view name) {
  for (const auto& one : call.headers) {
    if (one.name == name) return one.value;
  }
  return "";
}

constexpr std::string_view kTalk = R"({
  "provider": "P", "model": "m-1", "system": "Be brief.", "max_tokens": 100, "temperature": 0.5, "stop": ["END"],
  "messages": [
    {"role": "user", "content": "What is the weather?"},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."},
      {"type": "tool_call", "id": "t1", "name": "weather", "arguments": {"city": "Bern"}}]},
    {"role": "tool_result", "tool_use_id": "t1", "content": "sunny"}],
  "tools": [{"name": "weather", "description": "Tells it.", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}],
  "tool_choice": "required", "stream": true})";

TEST(Encode, Anthropic) {
  Provider provider = provider_of("anthropic", Wire::Anthropic);
  provider.auth_style = "header";
  provider.auth_header = "x-api-key";
  provider.headers["anthropic-version"] = "2023-06-01";
  auto call = encode(provider, parsed(kTalk), "sk-key-for-tests");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->url, "http://127.0.0.1:1/v1/messages");
  EXPECT_EQ(header(*call, "x-api-key"), "sk-key-for-tests");
  EXPECT_EQ(header(*call, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(call->body.find("sk-key"), std::string::npos);
  Value body = parsed(call->body);
  EXPECT_EQ(json_at(body, "system"), R"([{"text":"Be brief.","type":"text"}])");
  EXPECT_EQ(
      json_at(body, "messages.1"),
      R"({"content":[{"text":"I look.","type":"text"},{"id":"t1","input":{"city":"Bern"},"name":"weather","type":"tool_use"}],"role":"assistant"})");
  EXPECT_EQ(json_at(body, "messages.2.content.0"),
            R"({"content":[{"text":"sunny","type":"text"}],"tool_use_id":"t1","type":"tool_result"})");
  EXPECT_EQ(json_at(body, "tool_choice"), R"({"type":"any"})");
  EXPECT_EQ(json_at(body, "stop_sequences"), R"(["END"])");
  EXPECT_EQ(json_at(body, "stream"), "true");
  EXPECT_EQ(json_at(body, "max_tokens"), "100");
}

TEST(Encode, AnthropicThinkingNeedsItsOwnSignature) {
  constexpr std::string_view kRequest = R"({"provider": "anthropic", "model": "m", "max_tokens": 2000, "temperature": 1,
    "thinking": {"mode": "enabled", "budget_tokens": 5000}, "tools": [{"name": "f"}],
    "messages": [{"role": "user", "content": "go"},
      {"role": "assistant", "content": [{"type": "reasoning", "text": "hm", "provider": "WHO", "opaque": {"signature": "s"}},
        {"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
      {"role": "tool_result", "tool_use_id": "a", "content": "1"}]})";
  Provider provider = provider_of("anthropic", Wire::Anthropic);
  Value own = body_of(provider, text::replace_all(kRequest, "WHO", "anthropic"));
  EXPECT_EQ(json_at(own, "messages.1.content.0"), R"({"signature":"s","thinking":"hm","type":"thinking"})");
  EXPECT_EQ(json_at(own, "thinking"), R"({"budget_tokens":5000,"type":"enabled"})");
  EXPECT_EQ(json_at(own, "max_tokens"), "7000");
  EXPECT_EQ(json_at(own, "temperature"), "null");
  // Thought by another: it is not sent, and a turn that has begun without thinking goes on without.
  Value others = body_of(provider, text::replace_all(kRequest, "WHO", "openai"));
  EXPECT_EQ(json_at(others, "messages.1.content.0.type"), R"("tool_use")");
  EXPECT_EQ(json_at(others, "thinking"), "null");
}

TEST(Encode, AnthropicCacheMarks) {
  Value body = body_of(provider_of("anthropic", Wire::Anthropic),
                       R"({"provider": "anthropic", "model": "m", "cache": true, "system": "s",
    "tools": [{"name": "a"}, {"name": "b", "defer_loading": true}], "tool_search": {"variant": "regex"},
    "messages": [{"role": "user", "content": "hi"}]})");
  EXPECT_EQ(json_at(body, "tools.0"), R"({"name":"tool_search_tool_regex","type":"tool_search_tool_regex_20251119"})");
  EXPECT_EQ(json_at(body, "tools.1.cache_control.type"), R"("ephemeral")");
  EXPECT_EQ(json_at(body, "tools.2.defer_loading"), "true");
  EXPECT_EQ(json_at(body, "tools.2.cache_control"), "null");
  EXPECT_EQ(json_at(body, "system.0.cache_control.type"), R"("ephemeral")");
  EXPECT_EQ(json_at(body, "messages.0.content.0.cache_control.type"), R"("ephemeral")");
}

TEST(Encode, SchemaByEachProvidersMeans) {
  constexpr std::string_view kRequest =
      R"({"provider": "p", "model": "m", "messages": [{"role": "user", "content": "hi"}],
    "output": {"kind": "json_schema", "name": "City", "strict": true,
      "schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}})";
  Value native = body_of(provider_of("anthropic", Wire::Anthropic), kRequest);
  EXPECT_EQ(json_at(native, "output_config.format.type"), R"("json_schema")");
  EXPECT_EQ(json_at(native, "output_config.format.schema.additionalProperties"), "false");
  Provider older = provider_of("anthropic", Wire::Anthropic);
  older.capabilities["structured_output_mode"] = std::string("xml_tagged");
  Value forced = body_of(older, kRequest);
  EXPECT_EQ(json_at(forced, "tool_choice"), R"({"name":"City","type":"tool"})");
  EXPECT_EQ(json_at(forced, "tools.0.input_schema.required"), R"(["name"])");
  Value chat = body_of(provider_of("openai", Wire::OpenAiChat), kRequest);
  EXPECT_EQ(json_at(chat, "response_format.json_schema.strict"), "true");
  EXPECT_EQ(json_at(chat, "response_format.json_schema.name"), R"("City")");
  EXPECT_EQ(json_at(chat, "response_format.json_schema.schema.additionalProperties"), "false");
  // A property that may be missing cannot be said strictly.
  Value loose = body_of(provider_of("openai", Wire::OpenAiChat), text::replace_all(kRequest, R"(["name"])", "[]"));
  EXPECT_EQ(json_at(loose, "response_format.json_schema.strict"), "false");
  EXPECT_EQ(json_at(loose, "response_format.json_schema.schema.additionalProperties"), "null");
  Value responses = body_of(provider_of("openai", Wire::OpenAiResponses), kRequest);
  EXPECT_EQ(json_at(responses, "text.format.name"), R"("City")");
  Value ollama = body_of(provider_of("ollama", Wire::Ollama), kRequest);
  EXPECT_EQ(json_at(ollama, "format.type"), R"("object")");
}

TEST(Encode, Chat) {
  Provider provider = provider_of("openai", Wire::OpenAiChat);
  provider.max_tokens_field = "max_completion_tokens";
  provider.capabilities["prefers_role_developer"] = true;
  auto call = encode(provider, parsed(kTalk), "sk-key-for-tests");
  ASSERT_TRUE(call);
  EXPECT_EQ(header(*call, "authorization"), "Bearer sk-key-for-tests");
  Value body = parsed(call->body);
  EXPECT_EQ(json_at(body, "messages.0"), R"({"content":"Be brief.","role":"developer"})");
  EXPECT_EQ(json_at(body, "messages.2.tool_calls.0"),
            R"({"function":{"arguments":"{\"city\":\"Bern\"}","name":"weather"},"id":"t1","type":"function"})");
  EXPECT_EQ(json_at(body, "messages.3"), R"({"content":"sunny","role":"tool","tool_call_id":"t1"})");
  EXPECT_EQ(json_at(body, "max_completion_tokens"), "100");
  EXPECT_EQ(json_at(body, "stream_options"), R"({"include_usage":true})");
  EXPECT_EQ(json_at(body, "tool_choice"), R"("required")");
}

TEST(Encode, Responses) {
  Value body = body_of(provider_of("openai", Wire::OpenAiResponses), kTalk);
  EXPECT_EQ(json_at(body, "instructions"), R"("Be brief.")");
  EXPECT_EQ(json_at(body, "input.0"),
            R"({"content":[{"text":"What is the weather?","type":"input_text"}],"role":"user","type":"message"})");
  EXPECT_EQ(json_at(body, "input.1.content.0.type"), R"("output_text")");
  EXPECT_EQ(json_at(body, "input.2"),
            R"({"arguments":"{\"city\":\"Bern\"}","call_id":"t1","name":"weather","type":"function_call"})");
  EXPECT_EQ(json_at(body, "input.3"), R"({"call_id":"t1","output":"sunny","type":"function_call_output"})");
  EXPECT_EQ(json_at(body, "max_output_tokens"), "100");
  EXPECT_EQ(json_at(body, "store"), "false");
  EXPECT_EQ(json_at(body, "tools.0.name"), R"("weather")");
}

TEST(Encode, OpenAiSearchesDeferredToolsByResponses) {
  Provider provider = provider_of("openai", Wire::OpenAiChat);
  provider.responses_endpoint = "/v1/responses";
  auto call = encode(provider, parsed(R"({"provider": "openai", "model": "gpt-5.4", "tool_search": {"variant": "bm25"},
    "tools": [{"name": "a", "defer_loading": true, "namespace": "ops"}], "messages": [{"role": "user", "content": "hi"}]})"),
                     "k");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->wire, Wire::OpenAiResponses);
  EXPECT_EQ(call->url, "http://127.0.0.1:1/v1/responses");
  Value body = parsed(call->body);
  EXPECT_EQ(json_at(body, "tools.0"), R"({"mode":"hosted","namespaces":["ops"],"type":"tool_search"})");
  EXPECT_EQ(json_at(body, "tools.1.defer_loading"), "true");
}

TEST(Encode, Ollama) {
  Provider provider = provider_of("ollama", Wire::Ollama);
  provider.context_tokens = 32768;
  provider.keep_alive = "-1";
  Value body = body_of(provider, kTalk);
  EXPECT_EQ(json_at(body, "messages.2.tool_calls.0.function.arguments"), R"({"city":"Bern"})");
  EXPECT_EQ(json_at(body, "messages.3"), R"({"content":"sunny","role":"tool","tool_name":"weather"})");
  EXPECT_EQ(json_at(body, "options.num_ctx"), "32768");
  EXPECT_EQ(json_at(body, "options.num_predict"), "100");
  EXPECT_EQ(json_at(body, "keep_alive"), "-1");
}

TEST(Encode, PicturesInResults) {
  constexpr std::string_view kRequest =
      R"({"provider": "p", "model": "m", "messages": [{"role": "user", "content": "look"},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
    {"role": "tool_result", "tool_use_id": "a", "content": [{"type": "image", "base64": "AAAA", "media_type": "image/png"}]}]})";
  Value claude = body_of(provider_of("anthropic", Wire::Anthropic), kRequest);
  EXPECT_EQ(json_at(claude, "messages.2.content.0.content.0.source.data"), R"("AAAA")");
  Value chat = body_of(provider_of("openai", Wire::OpenAiChat), kRequest);
  EXPECT_EQ(json_at(chat, "messages.2.role"), R"("tool")");
  EXPECT_EQ(json_at(chat, "messages.3.content.0.image_url.url"), R"("data:image/png;base64,AAAA")");
  Value ollama = body_of(provider_of("ollama", Wire::Ollama), kRequest);
  EXPECT_EQ(json_at(ollama, "messages.2.images"), R"(["AAAA"])");
}

TEST(Encode, ExtraIsMergedLast) {
  Value body = body_of(provider_of("ollama", Wire::Ollama), R"({"provider": "ollama", "model": "m", "temperature": 0.1,
    "messages": [{"role": "user", "content": "hi"}], "extra": {"options": {"num_ctx": 4096}, "raw": true}})");
  EXPECT_EQ(json_at(body, "options"), R"({"num_ctx":4096,"temperature":0.1})");
  EXPECT_EQ(json_at(body, "raw"), "true");
}

TEST(Encode, NamesAreMadeSendable) {
  Value body = body_of(provider_of("openai", Wire::OpenAiChat), R"({"provider": "p", "model": "m",
    "tools": [{"name": "files.read all"}], "messages": [{"role": "user", "content": "hi"}]})");
  EXPECT_EQ(json_at(body, "tools.0.function.name"), R"("files_read_all")");
}

}  // namespace
}  // namespace harn::llm
