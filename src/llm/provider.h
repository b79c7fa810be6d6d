#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Who answers model calls, and what their models can do: plain data, which any thread may read. Rows come from the
// catalogue (catalog.h).
namespace harn::llm {

// How requests and answers are written.
// The last two are programs that are run for each call (coding_agent.h).
enum class Wire : uint8_t { Anthropic, OpenAiChat, OpenAiResponses, Ollama, Mock, ClaudeCode, Codex };
// "anthropic", "openai_chat", ...
std::string_view wire_name(Wire wire);
std::optional<Wire> find_wire(std::string_view name);

// What a configuration may say about something.
using Setting = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;
using Settings = std::map<std::string, Setting, std::less<>>;

bool flag_of(const Settings& settings, std::string_view name);
std::string_view text_of(const Settings& settings, std::string_view name);
const std::vector<std::string>& texts_of(const Settings& settings, std::string_view name);

// A provider as one call uses it: addresses are whole, and capabilities are those of the call's model.
struct Provider {
  std::string name;
  std::string model;  // that the capabilities are of
  Wire wire = Wire::OpenAiChat;
  std::string base_url;            // without a slash at its end
  std::string chat_endpoint;       // "/v1/messages"; `{model}` in it is the model
  std::string responses_endpoint;  // where it speaks Responses, too; empty: it does not
  std::string models_endpoint;     // what lists its models; empty: nothing does
  std::string auth_style;          // "none", "bearer", "header", "aws"
  std::string auth_header;         // for "header": "x-api-key"
  std::string aws_region;          // for "aws"
  std::string aws_service;
  std::vector<std::string> auth_envs;
  bool is_key_optional = false;                // a server of one's own, which may want one
  std::map<std::string, std::string> headers;  // sent with each request
  std::string max_tokens_field = "max_tokens";
  // How thinking is asked for: "reasoning_effort", "reasoning", "enable_thinking", "none".
  std::string thinking_field = "reasoning_effort";
  std::vector<std::string> refuses;  // fields of a body that it answers with an error
  bool tells_stream_usage = true;    // it knows `stream_options`
  bool wants_cache_marks = false;    // it keeps what is before a mark, and nothing else
  Settings defaults;                 // added to bodies that do not say otherwise
  int64_t context_tokens = 0;        // Ollama: the context to load the model with; 0: as it is set up
  std::string keep_alive;            // Ollama: how long the model stays loaded; empty: as it is set up
  Settings capabilities;
};

}  // namespace harn::llm
