#pragma once

#include "llm/answer.h"

// Thoughts that a server has left in the text of an answer: `<think>...</think>`, which has to be the first thing in it. Models that are
// served without a parser for their own format do that. For one answer, on one thread; pieces may be cut anywhere.
//
//   InlineThinking text(answer);
//   text.add("<thi", deltas); text.add("nk>why</think>because", deltas);   // thinking "why", text "because"
//   text.flush(deltas);
namespace harn::llm {

class InlineThinking {
 public:
  explicit InlineThinking(AnswerBuilder& answer) : answer_(answer) {}

  void add(std::string_view text, Deltas& deltas);
  // Nothing more comes, or something else than text does: what might have become a tag is text.
  void flush(Deltas& deltas);

 private:
  enum class State : uint8_t { Start, Thinking, AfterThinking, Text };

  bool step(Deltas& deltas);
  bool at_start();
  bool in_thoughts(Deltas& deltas);
  void add_text(std::string_view text, Deltas& deltas);
  void add_thought(std::string_view text, Deltas& deltas);

  AnswerBuilder& answer_;
  State state_ = State::Start;
  bool has_thought_ = false;
  std::string held_;  // may be the beginning of a tag
};

}  // namespace harn::llm
