#include "data/tool_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "base/fmt.h"
#include "data/json.h"
#include "vm/dict.h"
#include "vm/objects.h"

namespace harn::data {
namespace {

ToolText read(std::string_view text) {
  return read_tool_text(text, [](std::string_view name) { return name == "read" || name == "write"; });
}

// `read{"path":"a"}; write!`: an exclamation mark stands for an error.
std::string calls(const ToolText& reply) {
  std::string out;
  for (const TextCall& call : reply.calls) {
    out += out.empty() ? "" : "; ";
    out += call.name;
    if (!call.arguments) out += "!";
    else EXPECT_TRUE(append_json(out, *call.arguments));
  }
  return out;
}

TEST(ToolText, ReadsBlocksInOrder) {
  ToolText reply = read(
      "<assistant_prose>a</assistant_prose><tool_call>read({path: 'x'})</tool_call>"
      "<tool_call>write()</tool_call><user_response>b</user_response><done> end </done>");
  EXPECT_EQ(calls(reply), R"(read{"path":"x"}; write{})");
  EXPECT_EQ(reply.visible_text, "a\nb");
  EXPECT_EQ(reply.done, "end");
  EXPECT_TRUE(reply.violations.empty());
}

TEST(ToolText, LeavesThinkingOut) {
  EXPECT_EQ(calls(read("<think>read({path: 1})</think><tool_call>read({path: 2})</tool_call>")), R"(read{"path":2})");
  EXPECT_EQ(read("plan plan</think><user_response>hi</user_response>").visible_text, "hi");
  EXPECT_EQ(calls(read("<thinking>never ends <tool_call>read({})</tool_call>")), "");
}

TEST(ToolText, TextArgumentsMayHoldTags) {
  EXPECT_EQ(calls(read("<tool_call>write({text: \"a </tool_call> b\"})</tool_call>")),
            R"(write{"text":"a </tool_call> b"})");
  EXPECT_EQ(calls(read("<tool_call>write({text: <<END\n<tool_call>x</tool_call>\nEND\n})</tool_call>")),
            R"(write{"text":"<tool_call>x</tool_call>"})");
}

TEST(ToolText, ABadCallLeavesTheNextAlone) {
  EXPECT_EQ(calls(read("<tool_call>read(nothing)</tool_call><tool_call>read({path: 1})</tool_call>")),
            R"(read!; read{"path":1})");
  EXPECT_EQ(calls(read("<tool_call>read({</tool_call>\n<tool_call>write({path: 1})</tool_call>")).substr(0, 4), "read");
  EXPECT_TRUE(calls(read("<tool_call>read({</tool_call>\n<tool_call>write({path: 1})</tool_call>"))
                  .ends_with(R"(write{"path":1})"));
}

TEST(ToolText, BoundsTheCalls) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "<tool_call>read({})</tool_call>";
  ToolText reply = read(text);
  EXPECT_EQ(reply.calls.size(), 256u);
  EXPECT_EQ(reply.parse_errors.size(), 1u);
}

std::string repeated(std::string_view part, size_t size) {
  std::string text;
  while (text.size() < size) text += part;
  return text;
}

// Ten times the text may take ten times as long, not a hundred.
TEST(ToolText, TimeIsLinear) {
  for (std::string_view part :
       {"<tool_call>read({})", "<tool_call>read({a: \"</tool_call>", "<tool_call>", "<think>", "</think>", "read({",
        "<", "<read({a: <<T\n", "<done>", "  read  ", "<tool_call>read({a: {b: [", "```\n", "<tool_call>{\"name\": "}) {
    auto time = [&](size_t size) {
      std::string text = repeated(part, size);
      auto start = std::chrono::steady_clock::now();
      read(text);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    double small = time(20'000) + 0.002, large = time(200'000);
    EXPECT_LT(large, small * 60) << part;
  }
}

TEST(ToolText, AnyTextIsRead) {
  std::mt19937 random(7);
  constexpr std::string_view kParts[] = {
      "<tool_call>", "</tool_call>", "read(",  "{",       "}",       ")",        "path: ", "\"", "'",      "<<EOF\n",
      "\n",          "EOF",          "<done>", "</done>", "<think>", "</think>", "<read(", ">",  "write ", ",",
      "\xff"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) text += kParts[random() % std::size(kParts)];
    ToolText reply = read(text);
    for (const TextCall& call : reply.calls) EXPECT_NE(call.arguments.has_value(), !call.error.empty()) << text;
    EXPECT_LE(reply.violations.size(), 20u);
  }
}

}  // namespace
}  // namespace harn::data
