#include "base/positions.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace harn {
namespace {

using enum Columns;

// `a` (1 byte), `ö` (2), `€` (3), `😀` (4 bytes, two code units), a tab, and a CRLF.
constexpr std::string_view kMixed = "aö€😀\tb\r\nc\n";

TEST(Positions, CountColumnsInThreeWays) {
  Positions positions(kMixed);
  uint32_t at_tab = 10;
  ASSERT_EQ(kMixed[at_tab], '\t');
  EXPECT_EQ(positions.position(at_tab, Bytes), (Position{1, 11}));
  EXPECT_EQ(positions.position(at_tab, Characters), (Position{1, 5}));
  EXPECT_EQ(positions.position(at_tab, Utf16), (Position{1, 6}));
  EXPECT_EQ(positions.position(at_tab + 1, Utf16), (Position{1, 7})) << "a tab is one";
}

TEST(Positions, OfEveryCharacterLeadBack) {
  Positions positions(kMixed);
  for (Columns columns : {Bytes, Characters, Utf16}) {
    for (uint32_t offset = 0; offset < kMixed.size(); offset += text::char_size(kMixed, offset)) {
      if (offset > 0 && kMixed[offset] == '\n' && kMixed[offset - 1] == '\r') continue;
      EXPECT_EQ(positions.offset(positions.position(offset, columns), columns), offset);
    }
  }
}

TEST(Positions, InsideACharacterMeanItsStart) {
  Positions positions(kMixed);
  uint32_t smile = 6;
  for (uint32_t inside = smile; inside < smile + 4; ++inside) {
    EXPECT_EQ(positions.position(inside, Utf16), (Position{1, 4}));
  }
  EXPECT_EQ(positions.offset({1, 4}, Utf16), smile);
  EXPECT_EQ(positions.offset({1, 5}, Utf16), smile) << "between its two surrogates";
  EXPECT_EQ(positions.offset({1, 6}, Utf16), smile + 4);
  EXPECT_EQ(positions.offset({1, 9}, Bytes), smile);
}

TEST(Positions, ALineEndBelongsToItsLine) {
  Positions positions(kMixed);
  EXPECT_EQ(positions.line_count(), 3u);
  EXPECT_EQ(positions.line(1), "aö€😀\tb");
  EXPECT_EQ(positions.line(2), "c");
  EXPECT_EQ(positions.line(3), "");
  EXPECT_EQ(positions.position(12, Characters), (Position{1, 7})) << "the carriage return";
  EXPECT_EQ(positions.position(13, Characters), (Position{1, 8})) << "the line feed";
  EXPECT_EQ(positions.position(14, Characters), (Position{2, 1}));
  EXPECT_EQ(positions.offset({1, 99}, Utf16), 12u) << "not into the line end";
}

TEST(Positions, OutsideTheTextMeanItsEnds) {
  Positions positions("ab\nc");
  EXPECT_EQ(positions.offset({9, 1}, Utf16), 4u);
  EXPECT_EQ(positions.offset({2, 9}, Characters), 4u);
  EXPECT_EQ(positions.offset({0, 0}, Characters), 0u);
  EXPECT_EQ(positions.offset({2, 0}, Characters), 3u);
  EXPECT_EQ(positions.position(99, Bytes), (Position{2, 2}));
}

TEST(Positions, ABrokenByteIsOneCharacter) {
  // A lone continuation byte, half of a sequence at the end of a line, an encoded surrogate, a byte that never is.
  Positions positions("\x80x\xE2\x82\ny\xED\xA0\x80z\xFFw");
  for (Columns columns : {Bytes, Characters, Utf16}) {
    EXPECT_EQ(positions.position(1, columns), (Position{1, 2}));
    EXPECT_EQ(positions.position(4, columns), (Position{1, 5}));
    EXPECT_EQ(positions.position(9, columns), (Position{2, 5})) << "z";
    EXPECT_EQ(positions.position(11, columns), (Position{2, 7})) << "w";
    EXPECT_EQ(positions.offset({2, 7}, columns), 11u);
  }
}

TEST(Positions, OfAnEmptyText) {
  Positions positions("");
  EXPECT_EQ(positions.line_count(), 1u);
  EXPECT_EQ(positions.position(0), (Position{1, 1}));
  EXPECT_EQ(positions.offset({1, 1}), 0u);
}

}  // namespace
}  // namespace harn
