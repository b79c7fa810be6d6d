#include "cli/diff.h"

#include <gtest/gtest.h>

namespace harn::cli {
namespace {

TEST(Diff, EqualTextsHaveNone) { EXPECT_EQ(diff("a\nb\n", "a\nb\n"), ""); }

TEST(Diff, MarksChangedLines) { EXPECT_EQ(diff("a\nb\nc\n", "a\nx\nc\n"), " a\n-b\n+x\n c\n"); }

TEST(Diff, MarksMissingAndSurplusLines) {
  EXPECT_EQ(diff("a\nb\n", "a\n"), " a\n-b\n");
  EXPECT_EQ(diff("a\n", "a\nb\n"), " a\n+b\n");
  EXPECT_EQ(diff("", "a\n"), "+a\n");
}

TEST(Diff, ShowsMissingLineEnd) {
  EXPECT_EQ(diff("a\n", "a"), " a\n+\\ no line end here\n");
  EXPECT_EQ(diff("a", "a\n"), " a\n-\\ no line end here\n");
}

TEST(Diff, LeavesOutWhatIsFarAway) {
  std::string expected, actual;
  for (int i = 0; i < 20; ++i) expected += std::to_string(i) + "\n";
  actual = expected;
  actual.replace(actual.find("10\n"), 3, "ten\n");
  EXPECT_EQ(diff(expected, actual), " 8\n 9\n-10\n+ten\n 11\n 12\n  ...\n");
}

TEST(Diff, StaysShort) {
  std::string expected, actual;
  for (int i = 0; i < 5000; ++i) {
    expected += "a" + std::to_string(i) + "\n";
    actual += "b" + std::to_string(i) + "\n";
  }
  EXPECT_LT(diff(expected, actual).size(), 2000u);
}

}  // namespace
}  // namespace harn::cli
