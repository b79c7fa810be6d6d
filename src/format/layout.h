#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Where lines end. The printer (printer.h) says what could be one line and where it may break; this decides.
namespace harn::formatter {

// How a group decides whether its lines break.
struct GroupStyle {
  int8_t indent = 2;            // of its lines when it is broken
  bool breaks_on_hard = false;  // a line end that must come inside it breaks all its lines
};

// A list of pieces of text and of places where a line may end, from which the cheapest layout is
// chosen: the lines of a group are all broken or all flat. A group stays flat when everything up to
// the next line end that must come fits.
//
// Every decision looks at sums made once, so the work is linear in the number of pieces.
class Layout {
 public:
  explicit Layout(uint32_t width) : width_(width) {}

  void text(std::string_view text);      // one line; must outlive the next print
  void verbatim(std::string_view text);  // may hold line ends, which keep their own indent
  void line();                           // a space, or a line end
  void soft_line();                      // nothing, or a line end
  void backslash_line();                 // a space, or a backslash and a line end
  void close_line();                     // `line` at the group's outer indent
  void close_soft_line();
  void hard_line();  // always a line end
  void close_hard_line();
  void blank_line() { blank_ = true; }  // the next hard line gets an empty line before it
  void if_broken(std::string_view text);
  // A comment that goes to the end of the line, whatever comes between. Has no width.
  void suffix(std::string_view comment);

  // Moves the lines of the innermost open group, as far as they break.
  void indent() { add_indent(2); }
  void dedent() { add_indent(-2); }

  void begin_group(GroupStyle style = {});
  // From here on it is enough for the group to stay flat that the text up to the next line fits.
  void hug();
  void force_break();  // the innermost open group
  void end_group();

  bool empty() const { return ops_.empty(); }
  size_t position() const { return ops_.size(); }
  // Whether a line end that must come was added since; those inside strings do not count.
  bool has_hard_line(size_t from) const { return last_hard_ != kNone && last_hard_ >= from; }

  // Appends everything so far to `out`. No group may be open.
  void print(std::string& out);
  // Whether comments wanted the end of the same line, so that all but one got lines of their own.
  bool split_comments() const { return split_comments_; }
  // Writes the comments that still wait for their line's end.
  void finish(std::string& out);

 private:
  enum class Kind : uint8_t {
    Text,
    Line,
    SoftLine,
    BackslashLine,
    HardLine,
    RawLine,
    IfBroken,
    Suffix,
    Indent,
    Begin,
    End,
  };
  struct Op {
    Kind kind;
    bool close = false;           // lines: at the outer indent
    bool blank = false;           // HardLine: an empty line first
    bool forced = false;          // Begin
    bool breaks_on_hard = false;  // Begin
    int8_t indent = 0;            // Begin, Indent
    uint32_t other = 0;           // Begin: its End
    uint32_t hug = 0;             // Begin: where to look for the next line, 0 for none
    std::string_view text;
  };
  struct Open {
    bool broken;
    uint32_t base;   // indent outside
    uint32_t inner;  // indent of its lines
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  void add_indent(int8_t change) { ops_.push_back({.kind = Kind::Indent, .indent = change}); }
  void add_line(Kind kind, bool close);
  void measure();
  bool stays_flat(uint32_t begin) const;
  void new_line(std::string& out, uint32_t indent, bool blank);
  void put(std::string& out, std::string_view text);

  uint32_t width_;
  std::vector<Op> ops_;
  std::vector<uint32_t> open_;       // Begin ops without an End
  std::vector<uint32_t> sum_;        // flat width of everything before
  std::vector<uint32_t> next_hard_;  // index of the next line end that must come
  std::vector<uint32_t> next_line_;  // index of the next line of any kind
  std::vector<std::string_view> suffixes_;
  std::vector<Open> stack_;
  size_t last_hard_ = kNone;
  size_t last_raw_ = kNone;
  uint32_t column_ = 0;
  bool blank_ = false;
  bool split_comments_ = false;
};

}  // namespace harn::formatter
