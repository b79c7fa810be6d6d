// Random transcripts, cut anywhere, through every adapter: whatever has happened, what is sent keeps the provider's rules. The
// validators know the wire formats only, and nothing of how the adapters work.
#include "llm/projection.h"

#include <random>
#include <set>

#include "values.h"

namespace harn::llm {
namespace {

// ---- what providers demand ----

using Complaint = std::string;  // empty: none

bool is_good_name(std::string_view name, size_t most) {
  if (name.empty() || name.size() > most) return false;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  }
  return true;
}

bool is_blank(std::string_view text) { return text::trim(text).empty(); }

Complaint check_anthropic(const Value& body) {
  auto messages = items_field(body, "messages");
  if (messages.empty()) return "no messages";
  std::set<std::string> seen;
  std::vector<std::string> open;
  bool is_user = true;
  bool has_calls = false;
  for (const Value& message : messages) {
    if (text_field(message, "role") != (is_user ? "user" : "assistant")) return "roles do not alternate";
    auto blocks = items_field(message, "content");
    if (blocks.empty()) return "empty content";
    std::vector<std::string> calls;
    size_t results = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      std::string type(text_field(blocks[i], "type"));
      if (type == "text" && is_blank(text_field(blocks[i], "text"))) return "blank text";
      if (type == "tool_use") {
        std::string id(text_field(blocks[i], "id"));
        if (is_user) return "a call of the user";
        if (!is_good_name(id, 64) || !is_good_name(text_field(blocks[i], "name"), 128)) return "bad id or name: " + id;
        if (!seen.insert(id).second) return "an id twice";
        if (!field(blocks[i], "input").is_dict()) return "input is no object";
        calls.push_back(id);
        has_calls = true;
      }
      if (type == "tool_result") {
        if (!is_user) return "a result of the assistant";
        if (i != results) return "a result behind something else";
        if (results >= open.size() || open[results] != text_field(blocks[i], "tool_use_id"))
          return "a result without its call";
        if (items_field(blocks[i], "content").empty()) return "an empty result";
        ++results;
      }
      if (type == "thinking") {
        if (is_user || i + 1 == blocks.size()) return "thinking at the end, or the user's";
        if (text_field(blocks[i], "signature") != "of-anthropic") return "thinking of another provider";
      }
      if (type == "image" && !is_user) return "a picture of the assistant";
    }
    if (results != open.size()) return "a call without its result";
    open = calls;
    is_user = !is_user;
  }
  if (!open.empty()) return "a call at the end";
  if (is_user) return "the last message is the assistant's";
  if (has_calls && items_field(body, "tools").empty()) return "calls without tools";
  return "";
}

Complaint check_chat(const Value& body) {
  auto messages = items_field(body, "messages");
  if (messages.empty()) return "no messages";
  std::set<std::string> open, seen;
  std::string before;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Value& message = messages[i];
    std::string role(text_field(message, "role"));
    if (role == "tool") {
      if (open.erase(std::string(text_field(message, "tool_call_id"))) == 0) return "a result without its call";
      if (is_blank(text_field(message, "content"))) return "an empty result";
      before = role;
      continue;
    }
    if (!open.empty()) return "a call without its result";
    if (role == "system" && i != 0) return "a system message in the middle";
    const Value& content = field(message, "content");
    if (content.is_string() && is_blank(text_of(content))) return "blank content";
    auto calls = items_field(message, "tool_calls");
    if (content.is_nil() && calls.empty()) return "nothing in a message";
    if (content.is_list() && items(content).empty()) return "empty content";
    if (!calls.empty() && role != "assistant") return "calls of others";
    for (const Value& call : calls) {
      std::string id(text_field(call, "id"));
      if (id.empty() || id.size() > 40) return "a bad id";
      if (!seen.insert(id).second) return "an id twice";
      if (!is_good_name(text_field(field(call, "function"), "name"), 64)) return "a bad name";
      if (!parsed(text_field(field(call, "function"), "arguments")).is_dict()) return "arguments that are no object";
      open.insert(id);
    }
    if (role == before) return "two of the same role";
    before = role;
  }
  return open.empty() ? before == "assistant" ? "ends with the assistant" : "" : "a call at the end";
}

Complaint check_responses(const Value& body) {
  auto input = items_field(body, "input");
  if (input.empty()) return "no input";
  std::vector<std::string> open;
  std::set<std::string> seen;
  bool after_reasoning = false;
  for (const Value& item : input) {
    std::string type(text_field(item, "type"));
    if (type == "function_call_output") {
      if (after_reasoning) return "reasoning without what follows it";
      if (open.empty() || open.front() != text_field(item, "call_id")) return "an output without its call";
      if (field(item, "output").is_string() && is_blank(text_field(item, "output"))) return "an empty output";
      open.erase(open.begin());
      continue;
    }
    if (type == "reasoning") {
      if (text_field(item, "encrypted_content") != "of-openai") return "reasoning of another provider";
      after_reasoning = true;
      continue;
    }
    if (type == "message") {
      bool is_user = text_field(item, "role") == "user";
      if (is_user && !open.empty()) return "a call without its output";
      if (is_user && after_reasoning) return "reasoning without what follows it";
      if (items_field(item, "content").empty()) return "an empty message";
      for (const Value& part : items_field(item, "content")) {
        std::string kind(text_field(part, "type"));
        if (kind == (is_user ? "output_text" : "input_text")) return "a text of the wrong side";
        if (kind.ends_with("_text") && is_blank(text_field(part, "text"))) return "blank text";
      }
    } else if (type == "function_call") {
      std::string id(text_field(item, "call_id"));
      if (!is_good_name(id, 64) || !seen.insert(id).second) return "a bad id, or twice";
      if (!is_good_name(text_field(item, "name"), 64)) return "a bad name";
      open.push_back(id);
    } else {
      return "an unknown item";
    }
    after_reasoning = false;
  }
  return open.empty() && !after_reasoning ? "" : "a call or reasoning at the end";
}

Complaint check_ollama(const Value& body) {
  auto messages = items_field(body, "messages");
  if (messages.empty()) return "no messages";
  std::vector<std::string> open;
  for (size_t i = 0; i < messages.size(); ++i) {
    std::string role(text_field(messages[i], "role"));
    if (role == "tool") {
      if (open.empty() || open.front() != text_field(messages[i], "tool_name")) return "a result without its call";
      open.erase(open.begin());
      if (is_blank(text_field(messages[i], "content"))) return "an empty result";
      continue;
    }
    if (!open.empty()) return "a call without its result";
    if (role == "system" && i != 0) return "a system message in the middle";
    auto calls = items_field(messages[i], "tool_calls");
    bool has_images = !items_field(messages[i], "images").empty();
    if (is_blank(text_field(messages[i], "content")) && calls.empty() && !has_images) return "an empty message";
    for (const Value& call : calls) {
      if (!field(field(call, "function"), "arguments").is_dict()) return "arguments that are no object";
      open.push_back(std::string(text_field(field(call, "function"), "name")));
    }
  }
  return open.empty() ? "" : "a call at the end";
}

Complaint check(Wire wire, const Value& body) {
  switch (wire) {
    case Wire::Anthropic: return check_anthropic(body);
    case Wire::OpenAiChat: return check_chat(body);
    case Wire::OpenAiResponses: return check_responses(body);
    case Wire::Ollama: return check_ollama(body);
    case Wire::Mock:
    case Wire::ClaudeCode:
    case Wire::Codex: break;
  }
  return "no wire";
}

// ---- what may have happened ----

class Transcripts {
 public:
  explicit Transcripts(uint32_t seed) : random_(seed) {}

  std::string next() {
    std::string messages;
    for (size_t i = 0, count = pick(9); i < count; ++i) messages += (messages.empty() ? "" : ",") + message();
    std::string tools = pick(2) ? R"("tools": [{"name": "look up"}, {"name": "b"}],)" : "";
    return R"({"model": "m", )" + tools + std::string(pick(2) ? R"("thinking": {"mode": "enabled"},)" : "") +
           R"("system": ")" + words() + R"(", "messages": [)" + messages + "]}";
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  std::string words() {
    constexpr std::string_view kWords[] = {"", "hello", " ", "\\n", "two words", "é\\\"x"};
    return std::string(kWords[pick(std::size(kWords))]);
  }
  std::string id() {
    constexpr std::string_view kIds[] = {
        "", "a", "b", "toolu_1", "bad id!", "x/y", "call_1", "a-very-long-id-that-is-longer-than-forty-characters-are"};
    return std::string(kIds[pick(std::size(kIds))]);
  }
  std::string block() {
    switch (pick(7)) {
      case 0: return R"({"type": "text", "text": ")" + words() + "\"}";
      case 1: return R"({"type": "image", "base64": "AAAA"})";
      case 2: return R"({"type": "image", "url": "https://x.y/z.png"})";
      case 3:
        return R"({"type": "tool_call", "id": ")" + id() + R"(", "name": ")" + (pick(2) ? "look up" : "") +
               R"(", "arguments": )" + (pick(3) ? "{\"q\": 1}" : "null") + "}";
      case 4:
        return R"({"type": "reasoning", "text": "hm", "provider": "anthropic", "opaque": {"signature": "of-anthropic"}})";
      case 5:
        return R"({"type": "reasoning", "provider": "openai", "opaque": {"type": "reasoning", "summary": [], "encrypted_content": "of-openai"}})";
      default: return R"({"type": "something", "data": 1})";
    }
  }
  std::string blocks() {
    std::string all;
    for (size_t i = 0, count = pick(5); i < count; ++i) all += (all.empty() ? "" : ",") + block();
    return "[" + all + "]";
  }
  std::string content() { return pick(2) ? "\"" + words() + "\"" : pick(8) ? blocks() : "null"; }
  std::string message() {
    constexpr std::string_view kRoles[] = {"user", "assistant", "assistant", "system", "tool_result", "tool_result"};
    std::string role(kRoles[pick(std::size(kRoles))]);
    std::string out = R"({"role": ")" + role + R"(", "content": )" + content();
    if (role == "tool_result") out += R"(, "tool_use_id": ")" + id() + "\"";
    return out + "}";
  }

  std::mt19937 random_;
};

TEST(Projection, IsValidForEveryProviderWhateverHasHappened) {
  constexpr std::string_view kNames[] = {"anthropic", "groq", "openai", "ollama"};
  Transcripts transcripts(20260101);
  for (int round = 0; round < 4000; ++round) {
    Value request = parsed(transcripts.next());
    for (size_t i = 0; i < std::size(kWires); ++i) {
      vm::dict_set(request, "provider", vm::text_value(kNames[i]));
      auto call = encode(provider_of(kNames[i], kWires[i]), request, "");
      ASSERT_TRUE(call) << json_text(request);
      ASSERT_EQ(check(kWires[i], parsed(call->body)), "") << wire_name(kWires[i]) << "\n"
                                                          << json_text(request) << "\n"
                                                          << call->body;
    }
  }
}

std::string shape(std::string_view messages) {
  std::string out;
  for (const auto& turn : project(parsed(R"({"provider": "p", "messages": )" + std::string(messages) + "}")).turns) {
    out += turn.is_user ? "U(" : "A(";
    for (const auto& part : turn.parts) out += "tmcrR"[static_cast<size_t>(part.kind)];
    out += ")";
  }
  return out;
}

TEST(Projection, ResultsComeRightBehindTheirCalls) {
  EXPECT_EQ(shape(R"([{"role": "user", "content": "x"},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}},
                                      {"type": "tool_call", "id": "b", "name": "f", "arguments": {}}]},
    {"role": "user", "content": "and?"}, {"role": "tool_result", "tool_use_id": "b", "content": "2"},
    {"role": "tool_result", "tool_use_id": "a", "content": "1"}])"),
            "U(t)A(cc)U(rrt)");
}

TEST(Projection, InterruptedCallsSaySo) {
  auto projected = project(parsed(R"({"messages": [{"role": "user", "content": "x"},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]}]})"));
  ASSERT_EQ(projected.turns.size(), 3u);
  EXPECT_TRUE(projected.turns[2].parts[0].is_error);
  EXPECT_NE(projected.turns[2].parts[0].text.find("interrupted"), std::string::npos);
}

TEST(Projection, SystemMessages) {
  auto projected = project(parsed(R"({"system": "one", "messages": [{"role": "system", "content": "two"},
    {"role": "user", "content": "x"}, {"role": "system", "content": "three"}]})"));
  EXPECT_EQ(projected.system, "one\n\ntwo");
  ASSERT_EQ(projected.turns.size(), 1u);
  EXPECT_EQ(projected.turns[0].parts[1].text, "<system-message>\nthree\n</system-message>");
}

TEST(Projection, AnIdThatIsUsedAgain) {
  auto projected = project(parsed(R"({"messages": [{"role": "user", "content": "x"},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
    {"role": "tool_result", "tool_use_id": "a", "content": "1"},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
    {"role": "tool_result", "tool_use_id": "a", "content": "2"}]})"));
  ASSERT_EQ(projected.turns.size(), 5u);
  EXPECT_EQ(projected.turns[2].parts[0].text, "1");
  EXPECT_EQ(projected.turns[4].parts[0].text, "2");
  EXPECT_NE(projected.turns[1].parts[0].id, projected.turns[3].parts[0].id);
}

}  // namespace
}  // namespace harn::llm
