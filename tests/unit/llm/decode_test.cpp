#include "values.h"

#include <random>

namespace harn::llm {
namespace {

struct Heard {
  Value answer;  // or the failure
  bool is_failure = false;
  std::string text, thinking;  // as the deltas had it
  std::map<int64_t, std::string> arguments;
};

constexpr std::string_view kRequest =
    R"({"provider": "p", "model": "asked", "messages": [{"role": "user", "content": "hi"}],
  "tools": [{"name": "files.read"}]})";

Heard hear(Wire wire, bool streams, std::string_view bytes, size_t piece, std::string_view request = kRequest) {
  auto decoder = Decoder::make(wire, streams, parsed(request));
  std::vector<Value> deltas;
  Heard heard;
  vm::Outcome<void> fed{};
  for (size_t at = 0; at < bytes.size() && fed; at += piece) fed = decoder->feed(bytes.substr(at, piece), deltas);
  for (const Value& delta : deltas) {
    std::string_view type = text_field(delta, "type");
    if (type == "text") heard.text += text_field(delta, "text");
    if (type == "thinking") heard.thinking += text_field(delta, "text");
    if (type == "tool_call") heard.arguments[count_field(delta, "index")] += text_field(delta, "arguments_text");
  }
  vm::Outcome<Value> answer = fed ? decoder->finish() : std::unexpected(fed.error());
  heard.is_failure = !answer;
  heard.answer = answer ? *answer : thrown(answer.error());
  return heard;
}

// The same in pieces of any size.
Heard hear_all(Wire wire, bool streams, std::string_view bytes, std::string_view request = kRequest) {
  Heard whole = hear(wire, streams, bytes, bytes.size() + 1, request);
  for (size_t piece : {1, 2, 3, 7, 64}) {
    Heard pieces = hear(wire, streams, bytes, piece, request);
    EXPECT_EQ(json_text(pieces.answer), json_text(whole.answer)) << piece;
    EXPECT_EQ(pieces.text, whole.text);
  }
  return whole;
}

constexpr std::string_view kAnthropic =
    "event: message_start\ndata: "
    "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"claude-x\",\"usage\":{\"input_tokens\":10,"
    "\"cache_read_input_tokens\":5,\"cache_creation_input_tokens\":2,\"output_tokens\":1}}}\n\n"
    "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    "event: content_block_start\ndata: "
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"SIG\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "event: content_block_start\ndata: "
    "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hé\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"llo\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n"
    "event: content_block_start\ndata: "
    "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
    "\"name\":\"files_read\",\"input\":{}}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
    "\\\"path\\\":\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\" "
    "\\\"a\\\"}\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
    "event: message_delta\ndata: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":25}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

TEST(Decode, AnthropicStream) {
  Heard heard = hear_all(Wire::Anthropic, true, kAnthropic);
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(heard.text, "Héllo");
  EXPECT_EQ(heard.thinking, "hm");
  EXPECT_EQ(heard.arguments[0], R"({"path": "a"})");
  EXPECT_EQ(json_at(heard.answer, "text"), "\"Héllo\"");
  EXPECT_EQ(json_at(heard.answer, "tool_calls"), R"([{"arguments":{"path":"a"},"id":"toolu_1","name":"files.read"}])");
  EXPECT_EQ(json_at(heard.answer, "blocks.0"),
            R"({"opaque":{"signature":"SIG"},"provider":"p","text":"hm","type":"reasoning"})");
  EXPECT_EQ(json_at(heard.answer, "stop_reason"), R"("tool_use")");
  EXPECT_EQ(json_at(heard.answer, "model"), R"("claude-x")");
  EXPECT_EQ(json_at(heard.answer, "input_tokens"), "17");
  EXPECT_EQ(json_at(heard.answer, "cache_read_tokens"), "5");
  EXPECT_EQ(json_at(heard.answer, "cache_write_tokens"), "2");
  EXPECT_EQ(json_at(heard.answer, "output_tokens"), "25");
}

TEST(Decode, AnthropicWhole) {
  Heard heard =
      hear_all(Wire::Anthropic, false, R"({"type":"message","model":"claude-x","content":[{"type":"text","text":"Hi"},
    {"type":"server_tool_use","id":"s1","name":"tool_search_tool_bm25","input":{"query":"x"}},
    {"type":"tool_use","id":"t","name":"files_read","input":{"path":"a"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}})");
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(json_at(heard.answer, "text"), R"("Hi")");
  EXPECT_EQ(json_at(heard.answer, "blocks.1.opaque.type"), R"("server_tool_use")");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.0.arguments.path"), R"("a")");
}

constexpr std::string_view kChat =
    "data: {\"model\":\"gpt-x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hé\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"llo\"}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
    "\"function\":{\"name\":\"files_read\",\"arguments\":\"\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"other\","
    "\"arguments\":\"{\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":"
    "\\\"a\\\"}\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"n: "
    "1}\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
    "data: "
    "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"prompt_tokens_details\":{\"cached_"
    "tokens\":4},\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n"
    "data: [DONE]\n\n";

TEST(Decode, ChatStream) {
  Heard heard = hear_all(Wire::OpenAiChat, true, kChat);
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(heard.text, "Héllo");
  EXPECT_EQ(json_at(heard.answer, "thinking"), R"("hm")");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.0"), R"({"arguments":{"path":"a"},"id":"c1","name":"files.read"})");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.1.arguments"), R"({"n":1})");
  EXPECT_NE(json_at(heard.answer, "tool_calls.1.repairs"), "null");
  EXPECT_EQ(json_at(heard.answer, "stop_reason"), R"("tool_use")");
  EXPECT_EQ(json_at(heard.answer, "cache_read_tokens"), "4");
  EXPECT_EQ(json_at(heard.answer, "reasoning_tokens"), "2");
}

TEST(Decode, ArgumentsThatAreNone) {
  Heard heard = hear_all(Wire::OpenAiChat, false, R"({"choices":[{"message":{"content":null,"tool_calls":[
    {"id":"a","function":{"name":"f","arguments":"no idea"}},{"id":"b","function":{"name":"f","arguments":{"x":1}}},
    {"id":"c","function":{"name":"f","arguments":""}}]},"finish_reason":"stop"}]})");
  ASSERT_FALSE(heard.is_failure);
  EXPECT_EQ(json_at(heard.answer, "tool_calls.0.raw"), R"("no idea")");
  EXPECT_NE(json_at(heard.answer, "tool_calls.0.error"), "null");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.1.arguments"), R"({"x":1})");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.2.arguments"), "{}");
  EXPECT_EQ(json_at(heard.answer, "stop_reason"), R"("tool_use")");
  EXPECT_EQ(json_at(heard.answer, "is_estimated"), "true");
}

constexpr std::string_view kResponses =
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n"
    "data: "
    "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\"}}\n\n"
    "data: {\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,\"delta\":\"hm\"}\n\n"
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"Hello\"}\n\n"
    "data: "
    "{\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":"
    "\"c1\",\"name\":\"files_read\"}}\n\n"
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"delta\":\"{}\"}\n\n"
    "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"gpt-x\",\"output\":["
    "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],\"encrypted_"
    "content\":\"ENC\"},"
    "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]},"
    "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"files_read\",\"arguments\":\"{}\"}],"
    "\"usage\":{\"input_tokens\":8,\"output_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":3}}}}\n\n";

TEST(Decode, ResponsesStream) {
  Heard heard = hear_all(Wire::OpenAiResponses, true, kResponses);
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(heard.text, "Hello");
  EXPECT_EQ(heard.arguments[0], "{}");
  EXPECT_EQ(json_at(heard.answer, "thinking_summary"), R"("hm")");
  EXPECT_EQ(json_at(heard.answer, "blocks.0.opaque.encrypted_content"), R"("ENC")");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.0.id"), R"("c1")");
  EXPECT_EQ(json_at(heard.answer, "input_tokens"), "8");
}

constexpr std::string_view kOllama =
    "{\"model\":\"llama\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"hm\"},\"done\":false}\n"
    "{\"model\":\"llama\",\"message\":{\"role\":\"assistant\",\"content\":\"Hé\"},\"done\":false}\n"
    "{\"model\":\"llama\",\"message\":{\"role\":\"assistant\",\"content\":\"llo\",\"tool_calls\":[{\"function\":{"
    "\"name\":\"files_read\",\"arguments\":{\"path\":\"a\"}}}]},\"done\":false}\n"
    "{\"model\":\"llama\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
    "\"prompt_eval_count\":7,\"eval_count\":8}";

TEST(Decode, OllamaLines) {
  Heard heard = hear_all(Wire::Ollama, true, kOllama);
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(heard.text, "Héllo");
  EXPECT_EQ(json_at(heard.answer, "tool_calls.0"), R"({"arguments":{"path":"a"},"id":"call_1_1","name":"files.read"})");
  EXPECT_EQ(json_at(heard.answer, "input_tokens"), "7");
  EXPECT_EQ(json_at(heard.answer, "stop_reason"), R"("tool_use")");
}

constexpr std::string_view kStreams[] = {kAnthropic, kChat, kResponses, kOllama};

TEST(Decode, CutAnywhereIsAFailureOfTheNetwork) {
  for (size_t i = 0; i < std::size(kWires); ++i) {
    std::string_view whole = kStreams[i];
    for (size_t size = 0; size + 40 < whole.size(); size += 3) {
      Heard heard = hear(kWires[i], true, whole.substr(0, size), 50);
      // Once the reason to stop is known, some servers say no more.
      if (kWires[i] == Wire::OpenAiChat && !heard.is_failure) continue;
      ASSERT_TRUE(heard.is_failure) << wire_name(kWires[i]) << size;
      EXPECT_EQ(text_field(heard.answer, "category"), "transient_network")
          << wire_name(kWires[i]) << " " << size << json_text(heard.answer);
    }
  }
}

TEST(Decode, ErrorsInsideOfStreams) {
  Heard overloaded =
      hear_all(Wire::Anthropic, true,
               "event: error\ndata: "
               "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n");
  EXPECT_EQ(text_field(overloaded.answer, "category"), "overloaded");
  EXPECT_EQ(text_field(overloaded.answer, "kind"), "transient");
  Heard router = hear_all(Wire::OpenAiChat, true, "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n");
  EXPECT_EQ(text_field(router.answer, "category"), "rate_limit");
  Heard failed = hear_all(
      Wire::OpenAiResponses, true,
      "data: "
      "{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"oh\"}}}\n\n");
  EXPECT_EQ(text_field(failed.answer, "category"), "server_error");
  Heard local = hear_all(Wire::Ollama, true, "{\"error\":\"llama runner process has terminated\"}\n");
  EXPECT_TRUE(local.is_failure);
  EXPECT_EQ(text_field(local.answer, "provider"), "p");
}

TEST(Decode, BrokenUtf8IsReplaced) {
  Heard heard = hear_all(Wire::Ollama, true,
                         "{\"message\":{\"content\":\"a\xff"
                         "b\"},\"done\":true}\n");
  ASSERT_FALSE(heard.is_failure) << json_text(heard.answer);
  EXPECT_EQ(json_at(heard.answer, "text"), "\"a\uFFFDb\"");
  Heard chat = hear_all(Wire::OpenAiChat, true,
                        "data: {\"choices\":[{\"delta\":{\"content\":\"a\xff"
                        "b\"},\"finish_reason\":\"stop\"}]}\n\n");
  EXPECT_EQ(json_at(chat.answer, "text"), "\"a\uFFFDb\"");
}

TEST(Decode, AMegabyteOnALineIsFine) {
  std::string big(1 << 20, 'x');
  Heard heard =
      hear(Wire::OpenAiChat, true,
           "data: {\"choices\":[{\"delta\":{\"content\":\"" + big + "\"},\"finish_reason\":\"stop\"}]}\n\n", 4096);
  EXPECT_EQ(text_field(heard.answer, "text").size(), big.size());
}

TEST(Decode, AnEndlessStreamEnds) {
  for (Wire wire : kWires) {
    auto decoder = Decoder::make(wire, true, parsed(kRequest));
    std::string piece = wire == Wire::Ollama ? "{\"message\":{\"content\":\"x\"}}\n" : std::string(": comment\n");
    while (piece.size() < (1 << 20)) piece += piece;
    std::vector<Value> deltas;
    vm::Outcome<void> fed{};
    for (int i = 0; i < 100 && fed; ++i) deltas.clear(), fed = decoder->feed(piece, deltas);
    ASSERT_FALSE(fed);
    EXPECT_EQ(text_field(thrown(fed.error()), "kind"), "terminal");
  }
}

TEST(Decode, SchemaToolBecomesText) {
  Heard heard = hear_all(
      Wire::Anthropic, false,
      R"({"content":[{"type":"tool_use","id":"t","name":"City","input":{"name":"Bern"}}],"stop_reason":"tool_use"})",
      R"({"provider": "anthropic", "model": "m", "messages": [], "output": {"kind": "json_schema", "name": "City"}})");
  EXPECT_EQ(json_at(heard.answer, "text"), R"("{\"name\":\"Bern\"}")");
  EXPECT_EQ(json_at(heard.answer, "tool_calls"), "[]");
  EXPECT_EQ(json_at(heard.answer, "stop_reason"), R"("end_turn")");
}

// Whatever is sent, there is an answer or a failure with a category.
TEST(Decode, DamagedStreams) {
  std::mt19937 random(7);
  for (size_t i = 0; i < std::size(kWires); ++i) {
    for (int round = 0; round < 300; ++round) {
      std::string bytes(kStreams[i]);
      for (int change = 0; change < 3; ++change) {
        size_t at = random() % bytes.size();
        if (random() % 2) bytes[at] = static_cast<char>(random());
        else bytes.erase(at, 1 + random() % 20);
      }
      Heard heard = hear(kWires[i], true, bytes, 1 + random() % 100);
      if (heard.is_failure) {
        EXPECT_FALSE(text_field(heard.answer, "category").empty());
      }
    }
  }
}

}  // namespace
}  // namespace harn::llm
