#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The small templates of typed prompts (`std/prompt`): text with `$name`, `${name}` and `$$`.
//
//   PlaceholderScanner scanner("Dear ${name}, $$5");
//   while (scanner.next()) use(scanner.piece());  // "Dear ", name, ", ", "$", "5"
//
// One pass, linear in the text. Values are never looked at again, so a value with a `$` in it stays as it is.
namespace harn {

struct PlaceholderPiece {
  enum class Kind : unsigned char {
    Text,    // as it stands
    Name,    // a placeholder; `text` is the name
    Dollar,  // `$$`
    Bad,     // a `$` that begins nothing
  };
  Kind kind;
  std::string_view text;
  size_t start;  // in the template
  size_t line;   // of the template, from 0
};

class PlaceholderScanner {
 public:
  // The text must outlive it.
  explicit PlaceholderScanner(std::string_view text) : text_(text) {}

  // False: the text has ended.
  bool next();
  const PlaceholderPiece& piece() const { return piece_; }

 private:
  void take(PlaceholderPiece::Kind kind, std::string_view text, size_t length);

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 0;
  PlaceholderPiece piece_{};
};

// A template without the indentation that all its lines have in common and without space around it. Lines stay lines.
struct Dedented {
  std::string text;
  size_t skipped_lines = 0;  // empty ones in front
};
Dedented dedent(std::string_view text);

// The white space that all lines with something in them begin with, character by character: a tab is not so many spaces.
std::string_view common_indent(std::string_view text);
// No more than white space.
bool is_blank(std::string_view line);

}  // namespace harn
