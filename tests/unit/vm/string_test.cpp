#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
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

// Offsets and numbers of all characters, found by walking.
void expect_true_places(const StringObject* string) {
  std::string_view view = string->view();
  size_t number = 0;
  for (size_t at = 0; at < view.size(); at += text::char_size(view, at), ++number) {
    ASSERT_EQ(string->char_offset(number), at);
    ASSERT_EQ(string->char_number(at), number);
  }
  ASSERT_EQ(string->chars(), number);
  ASSERT_EQ(string->char_offset(number), view.size());
}

TEST(String, FindsCharactersByNumberWhileItGrows) {
  std::mt19937 random(7);
  // The last two are halves of a character: broken text that may become whole.
  const std::string_view pieces[] = {"a", "é", "日本", "🎉", "plain text ", "\xC3", "\xA9"};
  Value string = S("");
  for (int i = 0; i < 600; ++i) {
    append(string, pieces[random() % std::size(pieces)]);
    if (random() % 4 == 0) expect_true_places(string.as_string());
  }
  Value share = string;
  append(string, "é");
  expect_true_places(share.as_string());
  expect_true_places(string.as_string());
}

TEST(String, PartsKnowHowManyCharactersTheyHave) {
  Value string = S("");
  for (int i = 0; i < 100; ++i) append(string, "naïve ");
  Value part = part_of_text(string, 120, 245);
  EXPECT_EQ(part.as_string()->chars(), 125u);
  EXPECT_EQ(text::count_chars(part.as_string()->view()), 125u);
  EXPECT_TRUE(part.as_string()->view().starts_with("naïve "));
}

TEST(String, IsCutInPlaceAndGrowsAgain) {
  Value string = S("");
  for (int i = 0; i < 100; ++i) append(string, "naïve ");
  expect_true_places(string.as_string());
  const Object* object = string.object();
  for (size_t chars = 599; chars > 450; --chars) string = part_of_text(std::move(string), 0, chars);
  EXPECT_EQ(string.object(), object);
  expect_true_places(string.as_string());
  append(string, "é§日本");
  expect_true_places(string.as_string());
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
