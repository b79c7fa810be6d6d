#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harn::data {

// A kind of block of JSON that stands in prose between two markers. A marker begins with `<`, and has no other after its first ones.
struct BlockKind {
  std::string_view name, begin, end;
};

// Where a reader of blocks stands between two pieces of a text.
struct BlockState {
  std::optional<size_t> inside;  // the kind of the block that has begun
  bool is_quoted = false;        // in a JSON string of it
  std::string held;              // what cannot be told yet: it may begin a marker
  std::string tail;              // the end of what was shown, when that may begin a marker
  size_t looked = 0;  // not 0: it begins with an end marker in a string, and so much of it does not end that string
};

// A text without its blocks. A block begins at its begin marker and ends at the first end marker of its kind that is no part of a JSON string
// in it: what a model writes may be about these markers. A string ends on its line (JSON has no line breaks in strings), so that a quote
// too many hides no more than the rest of its line. A block without an end goes on to the end of the text; so does one that the end of
// the text cuts off in a string. An end marker that ends nothing is left out, as is a marker that the end of the text has cut in the middle.
// What is left on both sides of something that went may make no marker: a space comes between.
//
// However a text is cut into pieces, what is read of it is the same.
class BlockReader {
 public:
  enum class Keep : bool { No, Yes };

  BlockReader(std::span<const BlockKind> kinds, BlockState state, Keep blocks)
      : kinds_(kinds), state_(std::move(state)), keeps_(blocks == Keep::Yes) {}

  void add(std::string_view piece);
  void end();

  struct Block {
    size_t kind;
    std::string text;
  };
  std::string text;                   // what is none of a block
  std::vector<Block> blocks;          // those that have begun and ended; empty without Keep::Yes
  std::vector<std::string> problems;  // blocks that were cut off, and markers that mark nothing
  const BlockState& state() const { return state_; }

 private:
  struct Marker {
    size_t kind;
    bool is_end;
    size_t size;
  };
  std::optional<Marker> marker_at(std::string_view text) const;
  bool may_begin_marker(std::string_view text) const;
  void read(std::string_view text, bool is_last);
  // How much of the text was read; all but what is held.
  size_t read_outside(std::string_view text, bool is_last);
  size_t read_block(std::string_view text, bool is_last);
  size_t hold(std::string_view text, size_t at, bool is_last);
  void show(std::string_view part);
  void leave_out();
  void add_to_block(std::string_view part);
  void end_block();

  std::span<const BlockKind> kinds_;
  BlockState state_;
  bool keeps_;
  std::string block_;
};

}  // namespace harn::data
