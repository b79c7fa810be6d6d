#include "llm/inline_thinking.h"

#include <algorithm>
#include <utility>

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

constexpr std::string_view kOpening = "<think>";
constexpr std::string_view kClosing = "</think>";
constexpr std::string_view kSpaces = " \t\r\n";

std::string_view without_spaces(std::string_view text) {
  size_t start = text.find_first_not_of(kSpaces);
  return start == text.npos ? std::string_view() : text.substr(start);
}

// How many bytes at the end may be the beginning of the closing tag.
size_t unfinished(std::string_view text) {
  for (size_t size = std::min(text.size(), kClosing.size() - 1); size > 0; --size) {
    if (kClosing.starts_with(text.substr(text.size() - size))) return size;
  }
  return 0;
}

}  // namespace

void InlineThinking::add_text(std::string_view text, Deltas& deltas) {
  if (!text.empty()) answer_.add_text(answer_.last_or_new(Kind::Text), text, deltas);
}

void InlineThinking::add_thought(std::string_view text, Deltas& deltas) {
  if (!has_thought_) text = without_spaces(text);
  if (text.empty()) return;
  has_thought_ = true;
  answer_.add_thinking(answer_.last_or_new(Kind::Thinking), text, deltas);
}

void InlineThinking::add(std::string_view text, Deltas& deltas) {
  if (state_ == State::Text) return add_text(text, deltas);
  held_ += text;
  while (step(deltas)) {}
}

// Whether there is more to do with what is held.
bool InlineThinking::step(Deltas& deltas) {
  switch (state_) {
    case State::Start: return at_start();
    case State::Thinking: return in_thoughts(deltas);
    case State::AfterThinking:
      held_ = without_spaces(held_);
      if (held_.empty()) return false;
      state_ = State::Text;
      return true;
    case State::Text: add_text(std::exchange(held_, {}), deltas); return false;
  }
  return false;
}

bool InlineThinking::at_start() {
  std::string_view begun = without_spaces(held_);
  if (begun.size() < kOpening.size() && kOpening.starts_with(begun)) return false;
  if (!begun.starts_with(kOpening)) {
    state_ = State::Text;
    return true;
  }
  held_ = begun.substr(kOpening.size());
  state_ = State::Thinking;
  return true;
}

bool InlineThinking::in_thoughts(Deltas& deltas) {
  size_t end = held_.find(kClosing);
  bool is_over = end != held_.npos;
  if (!is_over) end = held_.size() - unfinished(held_);
  add_thought(std::string_view(held_).substr(0, end), deltas);
  held_.erase(0, is_over ? end + kClosing.size() : end);
  if (is_over) state_ = State::AfterThinking;
  return is_over;
}

void InlineThinking::flush(Deltas& deltas) {
  std::string rest = std::exchange(held_, {});
  if (state_ == State::Thinking) return add_thought(rest, deltas);
  if (state_ == State::Start && !rest.empty()) state_ = State::Text;
  add_text(rest, deltas);
}

}  // namespace harn::llm
