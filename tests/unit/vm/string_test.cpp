#include <gtest/gtest.h>

#include "make_values.h"

namespace harn::vm {
namespace {

TEST(String, CountsCharacters) {
  EXPECT_EQ(new_string("héllo")->chars(), 5u);
  EXPECT_EQ(new_string("héllo")->size, 6u);
  EXPECT_TRUE(new_string("hello")->is_ascii());
  EXPECT_FALSE(new_string("héllo")->is_ascii());
  EXPECT_EQ(new_string("日本語")->chars(), 3u);
}

TEST(String, HashIsNeverZeroAndFollowsTheText) {
  EXPECT_NE(new_string("")->hash(), 0u);
  EXPECT_EQ(new_string("some text")->hash(), new_string("some text")->hash());
  EXPECT_EQ(new_string("some text")->hash(), text_hash("some text"));
}

TEST(String, InternGivesOneCopy) {
  EXPECT_EQ(intern("a key"), intern("a key"));
  EXPECT_NE(intern("a key"), intern("another key"));
  EXPECT_EQ(find_interned("never interned before"), nullptr);
  for (int i = 0; i < 10'000; ++i) intern("many" + std::to_string(i));
  EXPECT_EQ(intern("many77")->view(), "many77");
  EXPECT_EQ(intern("many77"), find_interned(new_string("many77").get()));
}

TEST(String, AppendsInPlaceOnlyWhenNobodyElseHoldsIt) {
  Value a = S("hello");
  append(a, " world");
  Value b = a;
  append(a, "!");
  EXPECT_EQ(a.as_string()->view(), "hello world!");
  EXPECT_EQ(b.as_string()->view(), "hello world");
}

TEST(String, AppendForgetsHashAndCount) {
  Value a = S("ab");
  append(a, "c");
  uint32_t before = a.as_string()->hash();
  EXPECT_EQ(a.as_string()->chars(), 3u);
  append(a, "é");
  EXPECT_NE(a.as_string()->hash(), before);
  EXPECT_EQ(a.as_string()->chars(), 4u);
}

TEST(String, AppendsItselfAndGrowsInSteps) {
  Value a = S("xy");
  for (int i = 0; i < 15; ++i) append(a, a.as_string()->view());
  EXPECT_EQ(a.as_string()->size, 65536u);
  std::string expected;
  for (int i = 0; i < 32768; ++i) expected += "xy";
  EXPECT_EQ(a.as_string()->view(), expected);
}

TEST(String, SingleCharactersAreShared) {
  EXPECT_EQ(char_string("q").get(), char_string("q").get());
  EXPECT_EQ(char_string("é")->view(), "é");
  Value a = S("q");
  append(a, "r");
  EXPECT_EQ(S("q").as_string()->view(), "q");
}

}  // namespace
}  // namespace harn::vm
