#include "syntax/input.h"

#include <gtest/gtest.h>

namespace harn::syntax {

static void expect(InputState state, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_EQ(input_state(text), state) << text;
}

TEST(Input, KnowsWhatIsOpen) {
  expect(InputState::Open, {"fn f() {", "f(1,", "[", "\"\"\"abc", "/* a", "let x = 1 + \\", "\"\"\"${"});
  expect(InputState::Whole, {"", "let x = 1", "f()", "}", "\"\"\"a\"\"\"", "// {", "\"{\""});
}

TEST(Input, AStringThatEndsWithItsLineIsAnError) { expect(InputState::Whole, {"\"abc", "println(\"abc", "{ \"abc"}); }

TEST(Input, KnowsWhatMustGoOn) {
  expect(InputState::Unfinished, {"1 +", "let x =", "a &&", "xs |>", "fn f()", "if x { 1 } else"});
  expect(InputState::Whole, {"1 + )", "let = 3", "a b"});
}

TEST(Input, KnowsWhatMayGoOn) {
  expect(InputState::MayGoOn, {"if x { 1 }", "if x { 1 } else if y { 2 }", "try { f() }", "let y = if x { 1 }"});
  expect(InputState::Whole, {"if x { 1 } else { 2 }", "fn f() { 1 }", "{a: 1}", "while x { }"});
  EXPECT_TRUE(continues_block("  else { 1 }"));
  EXPECT_TRUE(continues_block("catch e {"));
  EXPECT_FALSE(continues_block("elsewhere()"));
}

}  // namespace harn::syntax
