#include "values.h"

namespace harn::llm {
namespace {

struct Case {
  int status;
  std::string_view body;
  std::string_view category, reason, kind;
};

constexpr Case kCases[] = {
    {401, R"({"error": {"message": "bad key"}})", "auth", "auth_failure", "terminal"},
    {403, "no", "auth", "auth_failure", "terminal"},
    {429, R"({"error": {"message": "context window of requests"}})", "rate_limit", "rate_limit", "transient"},
    {408, "", "timeout", "timeout", "transient"},
    {504, "", "timeout", "timeout", "transient"},
    {522, "", "timeout", "timeout", "transient"},
    {404, R"({"error": "model \"x\" not found"})", "not_found", "model_unavailable", "terminal"},
    {410, "", "not_found", "model_unavailable", "terminal"},
    {500, "", "server_error", "server_error", "transient"},
    {502, "<html>", "server_error", "server_error", "transient"},
    {503, "", "server_error", "server_error", "transient"},
    {529, "", "overloaded", "server_error", "transient"},
    {400, R"({"error": {"message": "messages: at least one"}})", "generic", "invalid_request", "terminal"},
    {422, R"({"detail": "no"})", "generic", "invalid_request", "terminal"},
    {400, R"({"error": {"code": "context_length_exceeded", "message": "too much"}})", "context_length",
     "context_overflow", "terminal"},
    {400, R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens"}})",
     "context_length", "context_overflow", "terminal"},
    {400, R"({"error": {"code": "content_filter", "message": "The response was filtered"}})", "content_filter",
     "content_policy", "terminal"},
    {418, "teapot", "generic", "unknown", "terminal"},
};

TEST(Failures, ByBodyAndStatus) {
  Provider provider = provider_of("openai", Wire::OpenAiChat);
  for (const Case& one : kCases) {
    Value failed = failure_of(provider, "m", one.status, {{"X-Request-Id", "req_1"}}, one.body);
    EXPECT_EQ(text_field(failed, "category"), one.category) << one.status << one.body;
    EXPECT_EQ(text_field(failed, "reason"), one.reason) << one.status << one.body;
    EXPECT_EQ(text_field(failed, "kind"), one.kind) << one.status << one.body;
    EXPECT_EQ(text_field(failed, "request_id"), "req_1");
    EXPECT_EQ(int_field(failed, "status"), one.status);
    EXPECT_FALSE(has_field(failed, "retry_after_ms"));
  }
}

TEST(Failures, RetryAfter) {
  Provider provider = provider_of("openai", Wire::OpenAiChat);
  auto wait = [&](std::string name, std::string value, int64_t now = 0) {
    return int_field(failure_of(provider, "m", 429, {{std::move(name), std::move(value)}}, "", now), "retry_after_ms")
        .value_or(-1);
  };
  EXPECT_EQ(wait("retry-after", "3"), 3000);
  EXPECT_EQ(wait("Retry-After", "0.5"), 500);
  EXPECT_EQ(wait("retry-after-ms", "250"), 250);
  EXPECT_EQ(wait("retry-after", "soon"), -1);
  EXPECT_EQ(wait("retry-after", "-3"), -1);
  EXPECT_EQ(wait("retry-after", "Thu, 01 Jan 1970 00:01:40 GMT", 40'000), 60'000);
}

TEST(Failures, NeverTellAKey) {
  Provider provider = provider_of("openai", Wire::OpenAiChat);
  std::string key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
  Value failed =
      failure_of(provider, "m", 401, {}, R"({"error": {"message": "Incorrect API key provided: )" + key + R"("}})");
  EXPECT_EQ(json_text(failed).find(key), std::string::npos) << json_text(failed);
}

TEST(Failures, LongBodiesAreCut) {
  Value failed = failure_of(provider_of("openai", Wire::OpenAiChat), "m", 500, {}, std::string(100'000, 'x') + "\xff");
  EXPECT_LT(text_field(failed, "message").size(), 1000u);
}

}  // namespace
}  // namespace harn::llm
