#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/loose_json.h"

// Tool calls that a model writes as text, where it has no wire format for them.
//
//   <assistant_prose>I look first.</assistant_prose>
//   <tool_call>
//   read_file({ path: "src/main.c", limit: 20 })
//   </tool_call>
//
// A reply is a sequence of blocks: `tool_call`, `assistant_prose`, `user_response`, `done`. Arguments are object literals as
// loose_json.h reads them, with `<<TAG` for texts of several lines. What comes close is read all the same and told as a
// violation: calls without their tags, `<name(...)>`, JSON objects with a name, text outside of all blocks. Thinking is left
// out. Time is linear in the text, except that a call whose arguments do not end is read at most kMostEnds times further.
// Plain functions, no state.
namespace harn::data {

struct TextCall {
  std::string name;
  std::optional<vm::Value> arguments;  // a dict; nothing: see `error`
  std::string raw;                     // as it was written
  std::string error;                   // for the model: what is wrong and how to write it
  std::vector<Repair> repairs;
};

struct ToolText {
  std::vector<TextCall> calls;
  std::string assistant_prose;
  std::string user_response;
  std::string visible_text;         // all that is for people, in order
  std::optional<std::string> done;  // what stands in the block, trimmed; an empty one is a violation
  std::vector<std::string> violations;
  std::vector<std::string> parse_errors;
  std::string canonical_text;  // the reply as it should have been written
};

// `is_tool` tells which names may be called outside of a `tool_call` block.
ToolText read_tool_text(std::string_view text, const std::function<bool(std::string_view)>& is_tool);

}  // namespace harn::data
