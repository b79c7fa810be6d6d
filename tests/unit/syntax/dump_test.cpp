#include <gtest/gtest.h>

#include "parse_text.h"

namespace harn {

TEST(Dump, DoesNotDependOnLayout) {
  EXPECT_EQ(test::parse_text("let x = ( a+b )*c // note").dump(),
            test::parse_text("let x =\n  (a + b)\n  * c\n").dump());
  EXPECT_EQ(test::parse_text("f({\"a\": 1})").dump(), test::parse_text("f({a: 1,},)").dump());
  EXPECT_EQ(test::parse_text("let x: int | nil = 1").dump(), test::parse_text("let x: int? = 1").dump());
}

TEST(Dump, ShowsWhatMatters) {
  EXPECT_NE(test::parse_text("a?.b").dump(), test::parse_text("a.b").dump());
  EXPECT_NE(test::parse_text("(a.b)()").dump(), test::parse_text("a.b()").dump());
  EXPECT_NE(test::parse_text("x |> f(_)").dump(), test::parse_text("x |> f(y)").dump());
}

}  // namespace harn
