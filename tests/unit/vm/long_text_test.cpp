#include "vm/long_text.h"

#include <gtest/gtest.h>

#include <string>

namespace harn::vm {
namespace {

TEST(LongText, FindsAcrossPieces) {
  for (size_t at : {size_t{0}, kTextPiece - 3, kTextPiece, kTextPiece + 1, 3 * kTextPiece - 9}) {
    for (std::string what : {"xy", "xyz, which is longer than the short ones are"}) {
      std::string text(3 * kTextPiece + 40, '.');
      text.replace(at, what.size(), what);
      EXPECT_EQ(find_text(text, what), text.find(what));
      EXPECT_EQ(find_text(text, what, at + 1), std::string::npos);
      EXPECT_EQ(find_last_text(text, what), text.rfind(what));
      text.replace(2 * kTextPiece - 5, what.size(), what);
      EXPECT_EQ(find_text(text, what), text.find(what));
      EXPECT_EQ(find_last_text(text, what), text.rfind(what));
    }
  }
  std::string same(2 * kTextPiece, 'a');
  std::string part(kTextPiece + 7, 'a');
  EXPECT_EQ(find_text(same, part), 0u);
  EXPECT_EQ(find_last_text(same, part), same.size() - part.size());
  EXPECT_EQ(find_text(part, same), std::string::npos);
  EXPECT_EQ(find_last_text(part, same), std::string::npos);
  EXPECT_EQ(find_text("", ""), 0u);
  EXPECT_EQ(find_text("ab", "", 2), 2u);
  EXPECT_EQ(find_last_text("ab", ""), 2u);
}

TEST(LongText, FillsComparesAndCuts) {
  std::string unit = "abc";
  std::string text(unit.size() * 50'000, ' ');
  fill_text(text.data(), text.size(), unit);
  for (size_t i = 0; i < text.size(); ++i) ASSERT_EQ(text[i], unit[i % 3]);
  std::string copy(text.size(), ' ');
  copy_text(copy.data(), text);
  EXPECT_EQ(order_text(copy, text), 0);
  copy.back() = 'z';
  EXPECT_LT(order_text(text, copy), 0);
  EXPECT_GT(order_text(text + "a", text), 0);

  std::string wide(kTextPiece - 1, 'a');
  for (int i = 0; i < 30'000; ++i) wide += "é";
  std::string joined;
  for (std::string_view rest = wide; !rest.empty();) {
    joined += next_piece(rest);
    EXPECT_TRUE(rest.empty() || (rest[0] & 0xC0) != 0x80);
  }
  EXPECT_EQ(joined, wide);
}

}  // namespace
}  // namespace harn::vm
