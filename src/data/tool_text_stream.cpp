#include "data/tool_text_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "data/tool_text.h"
#include "vm/dict.h"
#include "vm/objects.h"

namespace harn::data {

namespace {

constexpr std::string_view kCallEnd = "</tool_call>";
// Names are shorter; what is longer is looked at when the reply is whole.
constexpr size_t kLongestName = 256;
// tool_text.cpp reads a call so many ends of blocks far.
constexpr int kMostEnds = 8;
constexpr std::array<std::string_view, 4> kThinkingNames = {"think", "thinking", "reasoning", "scratchpad"};
constexpr std::array<std::string_view, 2> kShownNames = {"assistant_prose", "user_response"};

bool is_name_start(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-'; }
bool is_space(char c) { return isspace(static_cast<unsigned char>(c)); }

size_t name_end(std::string_view text, size_t at) {
  if (at >= text.size() || !is_name_start(text[at])) return at;
  while (at < text.size() && is_name_part(text[at])) ++at;
  return at;
}

int count_of(std::string_view text, std::string_view what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

}  // namespace

std::vector<ToolTextStream::Delta> ToolTextStream::add(std::string_view piece) {
  text_ += piece;
  while (step()) {}
  return std::exchange(deltas_, {});
}

std::vector<ToolTextStream::Delta> ToolTextStream::finish() {
  ToolText all = read_tool_text(text_, [this](std::string_view name) { return is_tool(name); });
  if (all.visible_text.size() > shown_.size() && all.visible_text.starts_with(shown_))
    say(std::string_view(all.visible_text).substr(shown_.size()));
  for (size_t i = calls_; i < all.calls.size(); ++i) {
    tell_call(all.calls[i].name);
    std::string written;
    if (all.calls[i].arguments && append_json(written, *all.calls[i].arguments)) tell_arguments(written);
  }
  state_ = State::Stuck;
  return std::exchange(deltas_, {});
}

// True: there is more to do with what has come.
bool ToolTextStream::step() {
  switch (state_) {
    case State::Outside: return look_outside();
    case State::Shown: return read_shown();
    case State::Quiet: return read_quiet();
    case State::CallStart: return read_call_start();
    case State::Fence: return read_fence();
    case State::AfterName: return read_after_name();
    case State::AfterParen: return read_after_paren();
    case State::Arguments: return read_arguments();
    case State::CloseParen: return close_paren(false);
    case State::AfterComma: return close_paren(true);
    case State::AfterCall: return read_after_call(false);
    case State::AfterSemicolon: return read_after_call(true);
    case State::CallEnd: return read_call_end();
    case State::Stuck: return false;
  }
  return false;
}

// ---- outside of all blocks ----

bool ToolTextStream::look_outside() {
  size_t begin = at_;
  for (size_t i = at_; i < text_.size(); ++i) {
    char c = text_[i];
    bool may_call = is_line_start_ && is_name_start(c);
    if (c == '<' || may_call) {
      show(std::string_view(text_).substr(begin, i - begin));
      begin = at_ = i;
      Found found = c == '<' ? read_tag() : read_bare_call();
      if (found != Found::No) return found == Found::Yes;
    }
    is_line_start_ = c == '\n' || (is_line_start_ && (c == ' ' || c == '\t'));
  }
  show(std::string_view(text_).substr(begin));
  at_ = text_.size();
  return false;
}

// At `<`.
ToolTextStream::Found ToolTextStream::read_tag() {
  bool may_be = false;
  auto is = [&](const std::string& tag) {
    Found found = has(tag);
    may_be = may_be || found == Found::NeedMore;
    return found == Found::Yes;
  };
  for (std::string_view name : kThinkingNames) {
    if (is(fmt::format("<{}>", name))) return begin_block(name, State::Quiet);
    std::string closing = fmt::format("</{}>", name);
    if (is(closing)) {
      // Thinking whose first tag the provider has kept: what was shown stays, but is no part of the reply.
      shown_.resize(std::min(before_, shown_.size()));
      at_ += closing.size();
      end_text();
      return Found::Yes;
    }
  }
  if (is("<tool_call>")) return begin_block("tool_call", State::CallStart);
  for (std::string_view name : kShownNames) {
    if (is(fmt::format("<{}>", name))) return begin_block(name, State::Shown);
  }
  if (is("<done>")) return begin_block("done", State::Quiet);
  if (may_be) return Found::NeedMore;
  if (at_ + 1 >= text_.size()) return Found::NeedMore;
  Found call = is_call(at_ + 1);
  if (call == Found::Yes) begin_call(at_ + 1, name_end(text_, at_ + 1), Place::Angle);
  return call;
}

ToolTextStream::Found ToolTextStream::read_bare_call() {
  Found call = is_call(at_);
  if (call == Found::Yes) begin_call(at_, name_end(text_, at_), Place::Bare);
  return call;
}

// Whether `name(` of a tool is there.
ToolTextStream::Found ToolTextStream::is_call(size_t at) const {
  size_t end = name_end(text_, at);
  if (end == at) return Found::No;
  std::string_view name = std::string_view(text_).substr(at, end - at);
  if (end == text_.size()) {
    bool may_be = std::ranges::any_of(tools_, [&](const std::string& tool) { return tool.starts_with(name); });
    return may_be ? Found::NeedMore : Found::No;
  }
  return text_[end] == '(' && is_tool(name) ? Found::Yes : Found::No;
}

// ---- blocks ----

ToolTextStream::Found ToolTextStream::begin_block(std::string_view name, State state) {
  end_text();
  at_ += name.size() + 2;
  closing_ = fmt::format("</{}>", name);
  place_ = Place::Block;
  state_ = state;
  return Found::Yes;
}

bool ToolTextStream::read_shown() {
  size_t end = text_.find(closing_, at_);
  bool is_closed = end != std::string::npos;
  if (!is_closed) end = text_.size() - partly(closing_);
  show(std::string_view(text_).substr(at_, end - at_));
  at_ = end;
  if (!is_closed) return false;
  at_ += closing_.size();
  end_text();
  return go(State::Outside);
}

bool ToolTextStream::read_quiet() {
  size_t end = text_.find(closing_, at_);
  bool is_closed = end != std::string::npos;
  at_ = is_closed ? end + closing_.size() : text_.size() - partly(closing_);
  return is_closed && go(State::Outside);
}

bool ToolTextStream::read_call_start() {
  if (!skip_space()) return false;
  if (text_[at_] == '<') {
    Found end = has(kCallEnd);
    if (end == Found::NeedMore) return false;
    return end == Found::Yes ? end_call() : stuck();
  }
  if (text_[at_] == '`') {
    Found fence = has("```");
    if (fence == Found::NeedMore) return false;
    return fence == Found::Yes ? go(State::Fence) : stuck();
  }
  if (text_[at_] == '{') {
    name_.clear();
    has_paren_ = false;
    arguments_ = fed_ = told_ = at_;
    reader_ = LooseReader(LooseReader::Wanted::Object);
    return go(State::Arguments);
  }
  size_t end = name_end(text_, at_);
  if (end == at_ || end - at_ > kLongestName) return stuck();
  if (end == text_.size()) return false;
  begin_call(at_, end, Place::Block);
  return true;
}

bool ToolTextStream::read_fence() {
  size_t end = text_.find('\n', at_);
  at_ = end == std::string::npos ? text_.size() : end;
  return end != std::string::npos && go(State::CallStart);
}

// ---- calls ----

void ToolTextStream::begin_call(size_t name, size_t end, Place place) {
  if (place != Place::Block) end_text();
  place_ = place;
  name_ = text_.substr(name, end - name);
  at_ = end;
  state_ = State::AfterName;
}

bool ToolTextStream::read_after_name() {
  if (!skip_space()) return false;
  has_paren_ = text_[at_] == '(';
  if (has_paren_) {
    ++at_;
    return go(State::AfterParen);
  }
  return text_[at_] == '{' ? go(State::AfterParen) : stuck();
}

bool ToolTextStream::read_after_paren() {
  if (!skip_space()) return false;
  if (has_paren_ && text_[at_] == ')') {
    tell_call(name_);
    tell_arguments("{}");
    ++at_;
    return go(State::CallEnd);
  }
  if (text_[at_] != '{') return stuck();
  tell_call(name_);
  arguments_ = fed_ = told_ = at_;
  reader_ = LooseReader(LooseReader::Wanted::Object);
  return go(State::Arguments);
}

bool ToolTextStream::read_arguments() {
  // Not more than is needed: what is behind the last bracket is read for nothing.
  for (size_t piece = 256; fed_ < text_.size() && !reader_.is_whole(); piece *= 2) {
    size_t count = std::min(piece, text_.size() - fed_);
    reader_.add(std::string_view(text_).substr(fed_, count));
    fed_ += count;
  }
  if (reader_.is_whole()) return end_arguments();
  if (!name_.empty()) {
    tell_arguments(std::string_view(text_).substr(told_));
    told_ = text_.size();
  }
  return false;
}

bool ToolTextStream::end_arguments() {
  size_t end = arguments_ + reader_.end();
  auto value = reader_.value();
  std::string_view written = std::string_view(text_).substr(arguments_, end - arguments_);
  bool is_usual = reader_.start() == 0 && value && value->is_dict() && count_of(written, kCallEnd) < kMostEnds;
  if (!is_usual || reader_.is_too_deep()) return stuck();
  at_ = end;
  if (!name_.empty()) {
    if (end > told_) tell_arguments(std::string_view(text_).substr(told_, end - told_));
    return go(has_paren_ ? State::CloseParen : State::CallEnd);
  }
  const vm::DictObject* fields = value->as_dict();
  const vm::Value* name = fields->find("name");
  if (name && name->is_string()) {
    tell_call(name->as_string()->view());
    std::string text = "{}";
    for (std::string_view key : {"arguments", "parameters", "args", "input"}) {
      const vm::Value* given = fields->find(key);
      std::string made;
      if (given && given->is_dict() && append_json(made, *given)) text = made;
    }
    tell_arguments(text);
  }
  return go(State::CallEnd);
}

bool ToolTextStream::close_paren(bool has_comma) {
  if (!skip_space()) return false;
  if (!has_comma && text_[at_] == ',') {
    ++at_;
    return go(State::AfterComma);
  }
  if (text_[at_] != ')') return stuck();
  ++at_;
  return go(State::AfterCall);
}

bool ToolTextStream::read_after_call(bool has_semicolon) {
  if (!skip_space()) return false;
  if (!has_semicolon && text_[at_] == ';') {
    ++at_;
    return go(State::AfterSemicolon);
  }
  if (text_[at_] == '`') {
    Found fence = has("```");
    if (fence == Found::NeedMore) return false;
    if (fence == Found::Yes) at_ += 3;
  }
  return go(State::CallEnd);
}

bool ToolTextStream::read_call_end() {
  if (place_ == Place::Bare) return end_call();
  if (!skip_space()) return false;
  if (place_ == Place::Block) {
    Found end = has(kCallEnd);
    if (end == Found::NeedMore) return false;
    return end == Found::Yes ? end_call() : stuck();
  }
  if (text_[at_] == '/') {
    Found end = has("/>");
    if (end == Found::NeedMore) return false;
    if (end == Found::No) return stuck();
    ++at_;
  }
  if (text_[at_] == '>') ++at_;
  return end_call();
}

bool ToolTextStream::end_call() {
  if (place_ == Place::Block) at_ += kCallEnd.size();
  end_text();
  return go(State::Outside);
}

bool ToolTextStream::stuck() {
  state_ = State::Stuck;
  return false;
}

bool ToolTextStream::go(State state) {
  state_ = state;
  return true;
}

// ---- what is told ----

void ToolTextStream::tell_call(std::string_view name) {
  deltas_.push_back({.kind = Delta::Kind::Call, .text = std::string(name), .index = calls_++});
}

void ToolTextStream::tell_arguments(std::string_view text) {
  if (!text.empty())
    deltas_.push_back({.kind = Delta::Kind::Arguments, .text = std::string(text), .index = calls_ - 1});
}

// White space at both ends of a text is not shown, and a fence that stands alone is not, either.
void ToolTextStream::show(std::string_view piece) {
  if (!has_begun_) {
    if (held_.empty()) piece = text::trim_start(piece);
    if (piece.empty()) return;
  }
  std::string_view solid = text::trim_end(piece);
  size_t loose = piece.size() - solid.size();
  held_ += piece;
  if (solid.empty()) return;
  if (!has_begun_ && state_ == State::Outside && std::string_view("```").starts_with(text::trim_end(held_))) return;
  if (!has_begun_) {
    has_begun_ = true;
    if (!shown_.empty()) shown_ += '\n';
    if (has_said_) say("\n");
  }
  std::string ready = held_.substr(0, held_.size() - loose);
  held_.erase(0, ready.size());
  shown_ += ready;
  say(ready);
}

void ToolTextStream::say(std::string_view text) {
  has_said_ = true;
  if (!deltas_.empty() && deltas_.back().kind == Delta::Kind::Text) deltas_.back().text += text;
  else deltas_.push_back({.kind = Delta::Kind::Text, .text = std::string(text)});
}

// The next text is one of its own.
void ToolTextStream::end_text() {
  held_.clear();
  has_begun_ = false;
  is_line_start_ = true;
  before_ = shown_.size();
}

// ---- places ----

bool ToolTextStream::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_ < text_.size();
}

ToolTextStream::Found ToolTextStream::has(std::string_view what) const {
  std::string_view rest = std::string_view(text_).substr(at_, what.size());
  if (!what.starts_with(rest)) return Found::No;
  return rest.size() == what.size() ? Found::Yes : Found::NeedMore;
}

size_t ToolTextStream::partly(std::string_view what) const {
  std::string_view left = std::string_view(text_).substr(at_);
  for (size_t size = std::min(what.size() - 1, left.size()); size > 0; --size) {
    if (what.starts_with(left.substr(left.size() - size))) return size;
  }
  return 0;
}

bool ToolTextStream::is_tool(std::string_view name) const { return std::ranges::find(tools_, name) != tools_.end(); }

}  // namespace harn::data
