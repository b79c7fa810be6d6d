// The mock server's answers through our own adapters and decoders, in every format, whole and streamed.
#include "llm/mock_wire.h"

#include "values.h"

namespace harn::llm {
namespace {

MockWire wire_of(std::string_view script) {
  auto read = MockScript::read("replies.jsonl", script);
  EXPECT_TRUE(read) << (read ? "" : read.error());
  return MockWire(read ? *std::move(read) : MockScript());
}

vm::Outcome<Value> ask(MockWire& mock, Wire wire, bool streams, std::string_view prompt = "hello there") {
  Value request = parsed(R"({"provider": "p", "model": "m-1", "tools": [{"name": "look"}], "messages": []})");
  Value message = DictBuilder().add("role", vm::text_value("user")).add("content", vm::text_value(prompt)).done();
  Value messages = vm::new_list();
  push(messages, message);
  vm::dict_set(request, "messages", messages);
  vm::dict_set(request, "stream", Value::boolean(streams));
  Provider provider = provider_of("p", wire);
  auto call = encode(provider, request, "");
  EXPECT_TRUE(call);
  MockAnswer answer = mock.answer("POST", call->url.substr(call->url.find('/', 8)), call->body, 1'700'000'000);
  if (answer.status != 200)
    return vm::throw_value(failure_of(provider, "m-1", answer.status, answer.headers, answer.pieces[0].bytes));
  EXPECT_EQ(answer.streams, streams);
  auto decoder = Decoder::make(call->wire, streams, request);
  std::vector<Value> deltas;
  for (const MockPiece& piece : answer.pieces) HARN_CHECK(decoder->feed(piece.bytes, deltas));
  return decoder->finish();
}

TEST(MockWire, EveryFormatSaysTheSame) {
  for (Wire wire : kWires) {
    for (bool streams : {false, true}) {
      MockWire mock = wire_of(
          R"({"text": "Hi you", "thinking": "hm", "tool_calls": [{"name": "look", "arguments": {"at": [1, "x"]}}], "input_tokens": 7, "output_tokens": 9})");
      auto answer = ask(mock, wire, streams);
      ASSERT_TRUE(answer) << wire_name(wire) << streams << (answer ? "" : json_text(thrown(answer.error())));
      EXPECT_EQ(json_at(*answer, "text"), R"("Hi you")") << wire_name(wire);
      EXPECT_EQ(json_at(*answer, "tool_calls.0.name"), R"("look")");
      EXPECT_EQ(json_at(*answer, "tool_calls.0.arguments"), R"({"at":[1,"x"]})");
      EXPECT_EQ(json_at(*answer, "stop_reason"), R"("tool_use")");
      EXPECT_EQ(json_at(*answer, "input_tokens"), "7");
      EXPECT_EQ(json_at(*answer, "output_tokens"), "9");
      EXPECT_EQ(json_at(*answer, "model"), R"("m-1")");
      std::string thought = wire == Wire::OpenAiResponses ? "thinking_summary" : "thinking";
      EXPECT_EQ(json_at(*answer, thought), R"("hm")") << wire_name(wire) << streams;
    }
  }
}

TEST(MockWire, Errors) {
  for (Wire wire : kWires) {
    MockWire mock = wire_of(
        "{\"error\": {\"category\": \"rate_limit\", \"retry_after_ms\": 1500}}\n"
        "{\"error\": {\"category\": \"context_length\", \"message\": \"the context length is too small\"}}\n"
        "{\"error\": {\"category\": \"transient_network\"}}\n"
        "{\"text\": \"one two three\", \"cut_after\": 2}\n");
    auto limited = ask(mock, wire, true);
    ASSERT_FALSE(limited);
    EXPECT_EQ(text_field(thrown(limited.error()), "category"), "rate_limit");
    EXPECT_EQ(int_field(thrown(limited.error()), "retry_after_ms"), 1500);
    EXPECT_EQ(text_field(thrown(ask(mock, wire, false).error()), "category"), "context_length");
    EXPECT_EQ(text_field(thrown(ask(mock, wire, true).error()), "category"), "transient_network");
    EXPECT_EQ(text_field(thrown(ask(mock, wire, true).error()), "category"), "transient_network");
  }
}

TEST(MockWire, RepliesAreChosenAsMocksAre) {
  MockWire mock = wire_of(
      "{\"match\": \"*weather*\", \"text\": \"sunny\"}\n{\"text\": \"first\"}\n"
      "{\"match\": \"*once*\", \"consume_match\": true, \"text\": \"only now\"}\n");
  auto said = [&](std::string_view prompt) { return json_at(*ask(mock, Wire::OpenAiChat, false, prompt), "text"); };
  EXPECT_EQ(said("the weather?"), R"("first")");
  EXPECT_EQ(said("the weather?"), R"("sunny")");
  EXPECT_EQ(said("the weather?"), R"("sunny")");
  EXPECT_EQ(said("once"), R"("only now")");
  EXPECT_EQ(said("once more"), R"("Mock response to 2-word prompt: once more")");
}

TEST(MockWire, ScriptsWithMistakes) {
  auto why = [](std::string_view name, std::string_view text) {
    auto read = MockScript::read(name, text);
    return read ? "" : read.error();
  };
  EXPECT_EQ(why("a.jsonl", "{}\n{\"txt\": 1}"), "a.jsonl:2: there is no `txt` in a reply; did you mean `text`?");
  EXPECT_EQ(why("a.jsonl", "{\"error\": {\"category\": \"rate_limt\"}}"),
            "a.jsonl:1: `rate_limt` is no category of errors; did you mean `rate_limit`?");
  EXPECT_NE(why("a.jsonl", "nonsense"), "");
  EXPECT_NE(why("a.toml", "x = "), "");
  EXPECT_EQ(why("a.toml", "[[replies]]\ntext = \"hi\""), "");
}

TEST(MockWire, OtherPaths) {
  MockWire mock = wire_of("");
  for (std::string_view path : {"/v1/models", "/api/tags", "/api/version", "/health"})
    EXPECT_EQ(mock.answer("GET", path, "", 0).status, 200) << path;
  EXPECT_EQ(mock.answer("GET", "/nothing", "", 0).status, 404);
  EXPECT_EQ(mock.answer("POST", "/v1/messages", "not json", 0).status, 400);
  EXPECT_EQ(mock.answer("GET", "/v1/messages", "", 0).status, 405);
}

}  // namespace
}  // namespace harn::llm
