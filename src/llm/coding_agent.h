#pragma once

#include <string>
#include <vector>

#include "llm/wire.h"

// Coding agents as models: programs that the user has installed (`claude`, `codex`), one run for each call, with their own tools switched
// off. Pure; exchange.h runs them. What they write is read by decoders as other answers are (coding_agent_answer.cpp).
namespace harn::llm {

bool is_coding_agent(Wire wire);
// Its program: "claude".
std::string_view agent_program(Wire wire);

struct AgentCall {
  std::vector<std::string> words;  // the program, and its arguments
  std::string input;               // instructions and conversation: arguments can be seen by others, and are short
  std::string directory;           // to run in; empty: here
};
// Fails with a text for options that no coding agent knows.
vm::Outcome<AgentCall> agent_call(const Provider& provider, const vm::Value& request);

}  // namespace harn::llm
