#include <gtest/gtest.h>

#include "builtins/regex_cache.h"
#include "data_call.h"

namespace harn::builtins {
namespace {

using namespace vm;

TEST(Regex, Matches) {
  DataCall data;
  EXPECT_EQ(data.run("regex_match", S("[0-9]+"), S("a1b22")), "[1, 22]");
  EXPECT_EQ(data.run("regex_match", S("x"), S("abc")), "nil");
  EXPECT_EQ(data.run("regex_match", S("ABC"), S("xabc"), S("i")), "[abc]");
  EXPECT_EQ(data.run("regex_match", S("^b$"), S("a\nb"), S("m")), "[b]");
  EXPECT_EQ(data.run("regex_match", S("a.b"), S("a\nb"), S("s")), "[a\nb]");
  EXPECT_EQ(data.run("regex_match", S("a b # c\n\\ d"), S("ab d"), S("x")), "[ab d]");
  EXPECT_EQ(data.run("regex_match", S("a*"), S("baac")), "[, aa, ]");
  EXPECT_EQ(data.run("regex_match", S("\\w+"), S("héllo wörld")), "[héllo, wörld]");
  EXPECT_EQ(data.run("regex_match", S("[\\d_]+"), S("é１２_3")), "[１２_3]");
  EXPECT_EQ(data.call("regex_match", {S(""), S("")})->as_list()->size, 1u);
}

TEST(Regex, BadPatterns) {
  DataCall data;
  EXPECT_TRUE(data.run("regex_match", S("("), S("a")).starts_with("!Invalid regex: "));
  EXPECT_EQ(data.run("regex_match", S("a"), S("a"), S("q")),
            "!Invalid regex: unsupported regex flag 'q', expected one of i/m/s/x");
  EXPECT_TRUE(data.run("regex_match", S("(?=a)"), S("a")).starts_with("!Invalid regex: "));
  EXPECT_TRUE(data.run("regex_match", S("((a{1000}){1000}){1000}"), S("a")).starts_with("!Invalid regex: "));
  EXPECT_TRUE(data.run("regex_match", S(std::string(100'000, '(')), S("a")).starts_with("!Invalid regex: "));
  EXPECT_TRUE(data.run("regex_match", I(1), S("a")).starts_with("!Type error: "));
}

TEST(Regex, Replaces) {
  DataCall data;
  EXPECT_EQ(data.run("regex_replace", S("(?P<a>\\w)(\\d)"), S("x1 y2"), S("$2${a}$$ $a- $9")), "1x$ x-  2y$ y- ");
  EXPECT_EQ(data.run("regex_replace", S("b"), S("abc"), S("")), "ac");
  EXPECT_EQ(data.run("regex_replace", S("x*"), S("ab"), S("-")), "-a-b-");
  EXPECT_EQ(data.run("regex_replace", S("x*"), S("é"), S("-")), "-é-");
  EXPECT_EQ(data.run("regex_replace", S("(?<n>b)"), S("abc"), S("[$n]")), "a[b]c");
  EXPECT_EQ(data.run("regex_replace", S("b"), S("abc"), S("$")), "a$c");
  EXPECT_EQ(data.run("regex_replace", S("b"), S("abc"), S("${")), "a${c");
}

TEST(Regex, Captures) {
  DataCall data;
  EXPECT_EQ(data.run("regex_captures", S("(\\w+)@(\\w+)"), S("alice@example bob@test")),
            "[{groups: [alice, example], match: alice@example}, {groups: [bob, test], match: bob@test}]");
  EXPECT_EQ(data.run("regex_captures", S("(?P<user>\\w+):(?P<role>\\w+)?"), S("alice:admin bob:")),
            "[{groups: [alice, admin], match: alice:admin, role: admin, user: alice}, {groups: [bob, nil], match: "
            "bob:, user: bob}]");
  EXPECT_EQ(data.run("regex_captures", S("(?P<match>b)"), S("ab")), "[{groups: [b], match: b}]");
  EXPECT_EQ(data.run("regex_captures", S("z"), S("ab")), "[]");
}

TEST(Regex, Splits) {
  DataCall data;
  EXPECT_EQ(data.run("regex_split", S("a1b22c"), S("\\d+")), "[a, b, c]");
  EXPECT_EQ(data.call("regex_split", {S(""), S(",")})->as_list()->size, 1u);
}

TEST(Regex, ManyPatternsStayBounded) {
  DataCall data;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(data.run("regex_match", S("a" + std::to_string(i)), S("b")), "nil");
}

TEST(Regex, TranslatesPatterns) {
  EXPECT_EQ(translate_pattern("a\\wb", "", false), "a\\wb");
  EXPECT_EQ(translate_pattern("[\\d]\\D", "im", true), "(?im)[\\p{Nd}][^\\p{Nd}]");
  EXPECT_EQ(translate_pattern("(?<n>a)(?<=b)", "", false), "(?P<n>a)(?<=b)");
  EXPECT_EQ(translate_pattern("a [ b] #c", "x", false), "a[ b]");
  EXPECT_EQ(translate_pattern("\\", "", true), "\\");
  EXPECT_EQ(translate_pattern("[]a]\\d", "", false), "[]a]\\d");
}

}  // namespace
}  // namespace harn::builtins
