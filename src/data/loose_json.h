#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value.h"

// JSON as models write it.
//
// Finds one object or list in text that comes in pieces and may have prose, fences and thinking around it, and reads it
// although it breaks rules: comments, single quotes, bare keys and words, quotes that nobody has escaped, commas too many or
// too few, brackets that do not match, an end that is missing. What was mended is told with the value.
//
//   LooseReader reader;
//   reader.add(R"(Here you are: {name: 'Ada', tags: ["x", )");
//   reader.value();   // {name: Ada, tags: [x]}
//   reader.finish();  // all there is
//
// What `value` gives never takes anything back: texts grow at their end, numbers and words appear once they are whole, and
// what is not certain yet (half a key, a quote that may be the end) does not appear. Time and memory are linear in the text, in
// pieces of any size. Not for several threads at once.
namespace harn::data {

struct Repair {
  std::string_view kind;  // "unquoted_key"; all kinds are in loose_json.cpp
  size_t offset;          // of the byte
};

class LooseReader {
 public:
  // What a text that has other brackets in it should begin with.
  enum class Wanted : uint8_t { Any, Object, List };

  explicit LooseReader(Wanted wanted = Wanted::Any) : wanted_(wanted) {}

  void add(std::string_view piece);
  // The text has ended.
  void finish();

  // As far as it is certain; nothing: no value has begun, or there is none.
  std::optional<vm::Value> value() const;
  // Its last bracket was read.
  bool is_whole() const { return state_ == State::Done; }
  size_t start() const { return start_; }
  size_t end() const { return end_; }
  bool is_fenced() const { return is_fenced_; }
  // The first hundred, in the order of the text.
  const std::vector<Repair>& repairs() const { return repairs_; }
  // The value nests more deeply than JSON may.
  bool is_too_deep() const { return is_too_deep_; }

 private:
  enum class State : uint8_t {
    Outside,
    Thinking,
    Key,
    InKey,
    Colon,
    Value,
    InText,
    InWord,
    InHeredoc,
    AfterValue,
    Done
  };
  enum class Decision : uint8_t { No, Yes, NeedMore };
  struct Frame {
    bool is_object;
    bool has_comma = false;  // since the last value
    vm::Value container;
    std::string key;
  };

  bool step();
  bool look_outside();
  bool read_fence();
  bool skip_thinking();
  bool read_key();
  bool read_bare_key();
  bool read_colon();
  bool begin_value();
  bool read_text(bool is_key);
  bool read_escape();
  bool read_word();
  bool begin_heredoc();
  bool read_heredoc();
  bool after_value();

  bool begin_candidate(char bracket);
  void abandon();
  void open(bool is_object);
  void close(bool is_object);
  void close_all();
  // Whether it was put there.
  static bool put(const Frame& frame, vm::Value& container, vm::Value value);
  Decision is_at_fence() const;
  bool is_ready();
  bool is_over() const { return state_ == State::Done || state_ == State::Outside; }
  void add_value(vm::Value value);
  Decision begin_text(bool is_key);
  void end_text(bool is_key);
  vm::Value value_of_word(std::string_view word);

  // Of what follows: spaces and comments are skipped; false: the text goes on, so wait.
  bool skip_space();
  size_t find(std::string_view what, size_t from);
  Decision ends_text(size_t after, bool is_key) const;
  Decision begins_member(size_t at) const;
  size_t behind_spaces(size_t at, bool& has_newline) const;
  bool is_at_end(size_t at) const { return at >= text_.size(); }
  Decision at_end() const { return is_finished_ ? Decision::Yes : Decision::NeedMore; }
  bool has(size_t at, std::string_view word) const { return std::string_view(text_).substr(at, word.size()) == word; }
  void repair(std::string_view kind) { repair(kind, at_); }
  void repair(std::string_view kind, size_t offset);

  Wanted wanted_;
  State state_ = State::Outside;
  std::string text_;
  size_t at_ = 0;
  bool is_finished_ = false;
  bool is_confirmed_ = false;  // it is a value, and not a bracket of the prose
  bool is_fenced_ = false;
  bool has_prose_ = false;
  size_t searched_ = 0;
  bool is_too_deep_ = false;
  size_t start_ = 0, end_ = 0;
  std::vector<Frame> frames_;
  std::vector<Repair> repairs_;
  std::optional<vm::Value> whole_;
  std::string_view thinking_end_;  // the tag
  // What is being read: a text or key, without what is undecided.
  std::string content_;
  std::string_view closing_;  // quotes that end it
  std::string tag_;           // of a heredoc
  size_t token_ = 0;          // where it began
};

// The best of what a whole text holds: in a fence before others, and of those the longest.
struct LooseValue {
  std::optional<vm::Value> value;
  std::vector<Repair> repairs;
  bool is_too_deep = false;
};
LooseValue read_loose(std::string_view text, LooseReader::Wanted wanted = LooseReader::Wanted::Any);

}  // namespace harn::data
