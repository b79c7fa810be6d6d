#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

// Places in a text as people and editors count them. Everything inside Harn keeps byte offsets (span.h); lines and
// columns are made where somebody is shown a place.
namespace harn {

struct Position {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1
  friend constexpr bool operator==(Position, Position) = default;
};

// What columns count. Diagnostics count characters (code points), editors UTF-16 code units.
enum class Columns : uint8_t { Bytes, Characters, Utf16 };

// Byte offsets of a text as lines and columns, and back. A line ends with `\n` or `\r\n`; the line end belongs to its
// line. A byte that is not UTF-8 is one character and one code unit. The text must outlive this.
class Positions {
 public:
  explicit Positions(std::string_view text);

  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }
  uint32_t line_start(uint32_t number) const { return line_starts_[number - 1]; }
  // The text of a line (from 1) without its line end; empty when there is no such line.
  std::string_view line(uint32_t number) const;

  uint32_t line_of(uint32_t offset) const;
  // Offsets behind the text mean its end; those inside a character mean its start.
  Position position(uint32_t offset, Columns columns = Columns::Characters) const;
  // Positions that do not exist mean the nearest place before them: the end of the line, the start of the character,
  // the end of the text.
  uint32_t offset(Position position, Columns columns = Columns::Characters) const;

 private:
  std::string_view text_;
  std::vector<uint32_t> line_starts_;
};

}  // namespace harn
