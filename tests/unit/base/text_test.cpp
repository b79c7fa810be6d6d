#include "base/text.h"

#include <gtest/gtest.h>

namespace harn::text {

TEST(Text, CountsCharacters) {
  EXPECT_EQ(count_chars("abc"), 3u);
  EXPECT_EQ(count_chars("é漢🎈"), 3u);
  EXPECT_EQ(count_chars("a\xFF\xFE"), 3u) << "each bad byte counts as one";
  EXPECT_EQ(char_offset("é漢🎈", 2), 5u);
}

TEST(Text, ChecksUtf8) {
  EXPECT_TRUE(is_valid_utf8("é漢🎈"));
  EXPECT_FALSE(is_valid_utf8("\xC0\x80")) << "overlong";
  EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80")) << "surrogate";
  EXPECT_FALSE(is_valid_utf8("\xF4\x90\x80\x80")) << "past the last code point";
  EXPECT_FALSE(is_valid_utf8("\xE6\xBC")) << "cut short";
  EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
}

TEST(Text, DecodesAndEncodesTheSame) {
  for (char32_t c : {U'a', U'é', U'漢', U'🎈'}) {
    std::string out;
    append_utf8(out, c);
    EXPECT_EQ(decode(out, 0), c);
    EXPECT_EQ(char_size(out, 0), out.size());
  }
}

TEST(Text, TrimsUnicodeSpace) {
  EXPECT_EQ(trim("\u00A0 a b\t\u3000"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(Text, OffersCloseNames) {
  std::vector<std::string_view> names = {"response", "request", "respond", "x"};
  EXPECT_EQ(close_names("reponse", names).front(), "response");
  EXPECT_TRUE(close_names("zebra", names).empty());
  EXPECT_EQ(edit_distance("ab", "ba", 2), 1u) << "a swap is one slip";
}

TEST(Text, SplitsAndReplaces) {
  EXPECT_EQ(split("a,b,,c", ",").size(), 4u);
  EXPECT_EQ(split("", ",").size(), 1u);
  EXPECT_EQ(replace_all("aXbX", "X", "--"), "a--b--");
  EXPECT_EQ(plural(1, "item"), "1 item");
  EXPECT_EQ(plural(2, "item"), "2 items");
}

}  // namespace harn::text
