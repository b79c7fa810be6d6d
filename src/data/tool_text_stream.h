#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/loose_json.h"

// A reply in the text protocol (tool_text.h) that comes in pieces.
//
//   ToolTextStream stream({"read_file"});
//   stream.add("<assistant_prose>I lo");   // text "I lo"
//   stream.add("ok.</assistant_prose>\n<tool_call>read_file({ path: ");  // text "ok.", a call of read_file, its arguments so far
//
// Nothing that was given is taken back, and no part of a tag is ever shown: what may become one is kept until it is clear. All text
// together is the `visible_text` of the whole reply. Time is linear in the text, in pieces of any size; what is broken so that only
// the end of the reply tells what it is comes with `finish`. Not for several threads at once.
namespace harn::data {

class ToolTextStream {
 public:
  struct Delta {
    enum class Kind : uint8_t { Text, Call, Arguments };
    Kind kind;
    std::string text;  // Call: the name of the tool; Arguments: the next part of how they are written
    size_t index = 0;  // of the call
  };

  explicit ToolTextStream(std::vector<std::string> tools) : tools_(std::move(tools)) {}

  // Whole characters of UTF-8.
  std::vector<Delta> add(std::string_view piece);
  // The reply has ended.
  std::vector<Delta> finish();

 private:
  enum class State : uint8_t {
    Outside,
    Shown,      // in a block whose text is for people
    Quiet,      // in a block whose text is not
    CallStart,  // of a `tool_call` block
    Fence,      // a line that opens one
    AfterName,
    AfterParen,
    Arguments,
    CloseParen,  // behind the arguments
    AfterComma,
    AfterCall,  // a `;` may follow
    AfterSemicolon,
    CallEnd,  // the call is over; what is around it is not
    Stuck     // only the whole reply tells
  };
  enum class Place : uint8_t { Block, Bare, Angle };
  enum class Found : uint8_t { No, Yes, NeedMore };

  bool step();
  bool look_outside();
  Found read_tag();
  Found read_bare_call();
  Found is_call(size_t at) const;
  bool read_shown();
  bool read_quiet();
  bool read_call_start();
  bool read_fence();
  bool read_after_name();
  bool read_after_paren();
  bool read_arguments();
  bool close_paren(bool has_comma);
  bool read_after_call(bool has_semicolon);
  bool read_call_end();

  Found begin_block(std::string_view name, State state);
  void begin_call(size_t name, size_t end, Place place);
  void tell_call(std::string_view name);
  void tell_arguments(std::string_view text);
  bool end_arguments();
  bool end_call();
  bool stuck();
  bool go(State state);

  void show(std::string_view piece);
  void say(std::string_view text);
  void end_text();

  // Where the text after `at_` and white space begins; false: there is none yet.
  bool skip_space();
  Found has(std::string_view what) const;
  // How much of the end of the text may be the beginning of `what`.
  size_t partly(std::string_view what) const;
  bool is_tool(std::string_view name) const;

  std::vector<std::string> tools_;
  std::string text_;
  size_t at_ = 0;  // everything before is decided
  State state_ = State::Outside;
  bool is_line_start_ = true;
  std::string closing_;  // of the block
  Place place_ = Place::Block;
  std::string name_;  // of the call; empty: it is a JSON object
  bool has_paren_ = false;
  size_t arguments_ = 0, fed_ = 0, told_ = 0;
  LooseReader reader_;
  size_t calls_ = 0;

  std::vector<Delta> deltas_;
  std::string held_;  // of this text: it may be nothing but white space, or a fence
  bool has_begun_ = false;
  std::string shown_;  // as the whole reply will have it
  size_t before_ = 0;  // how much of it was there before this text
  bool has_said_ = false;
};

}  // namespace harn::data
