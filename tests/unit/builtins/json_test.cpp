#include <gtest/gtest.h>

#include "data_call.h"

namespace harn::builtins {
namespace {

using namespace vm;

TEST(JsonExtract, FindsJsonInText) {
  DataCall data;
  EXPECT_EQ(data.run("json_extract", S("x ```json\n{\"a\": 1}\n``` y")), "{a: 1}");
  EXPECT_EQ(data.run("json_extract", S("so {\"a\": \"}\"} and")), "{a: }}");
  EXPECT_EQ(data.run("json_extract", S("so [1, 2] and")), "[1, 2]");
  EXPECT_EQ(data.run("json_extract", S(" 5 ")), "5");
  EXPECT_EQ(data.run("json_extract", S("{\"a\": 1}"), S("a")), "1");
  EXPECT_EQ(data.run("json_extract", S("{\"a\": 1}"), S("b")), "!json_extract: key 'b' not found");
  EXPECT_EQ(data.run("json_extract", S("[1]"), S("b")),
            "!json_extract: parsed value is not a dict, cannot extract key");
  EXPECT_TRUE(data.run("json_extract", S("no")).starts_with("!json_extract: failed to parse JSON: "));
}

TEST(JsonPointer, ReadsSetsAndDeletes) {
  DataCall data;
  Value value = D({{"a", L({I(1), D({{"b/c", I(2)}, {"~", I(3)}})})}});
  EXPECT_EQ(data.run("json_pointer", value, S("")), display(value));
  EXPECT_EQ(data.run("json_pointer", value, S("/a/1/b~1c")), "2");
  EXPECT_EQ(data.run("json_pointer", value, S("/a/1/~0")), "3");
  EXPECT_EQ(data.run("json_pointer", value, S("/a/01")), "nil");
  EXPECT_EQ(data.run("json_pointer", value, S("a")), "!json_pointer: pointer must be empty or start with '/'");
  EXPECT_EQ(data.run("json_pointer", value, S("/~2")), "!json_pointer: invalid escape '~2' in pointer");
  EXPECT_EQ(data.run("json_pointer", value, S("/~")), "!json_pointer: dangling '~' in pointer");
  EXPECT_EQ(data.run("json_pointer_set", value, S("/a/0"), I(9)), "{a: [9, {b/c: 2, ~: 3}]}");
  EXPECT_EQ(data.run("json_pointer_set", L({I(1)}), S("/-"), I(9)), "[1, 9]");
  EXPECT_EQ(data.run("json_pointer_set", L({I(1)}), S("/1"), I(9)), "[1, 9]");
  EXPECT_EQ(data.run("json_pointer_set", L({I(1)}), S("/5"), I(9)), "[1]");
  EXPECT_EQ(data.run("json_pointer_set", D({}), S("/x/y"), I(9)), "{}");
  EXPECT_EQ(data.run("json_pointer_set", D({}), S("/x"), I(9)), "{x: 9}");
  EXPECT_EQ(data.run("json_pointer_delete", value, S("/a/0")), "{a: [{b/c: 2, ~: 3}]}");
  EXPECT_EQ(data.run("json_pointer_delete", value, S("/a/1/~0")), "{a: [1, {b/c: 2}]}");
  EXPECT_EQ(data.run("json_pointer_delete", value, S("/x")), display(value));
  EXPECT_EQ(data.run("json_pointer_delete", value, S("")), "nil");
  EXPECT_EQ(display(value), "{a: [1, {b/c: 2, ~: 3}]}");
}

TEST(Jq, Expressions) {
  DataCall data;
  Value value = D(
      {{"a", D({{"b", L({I(1), I(2), I(3)})}})}, {"s", S("text")}, {"list", L({D({{"n", I(1)}}), D({{"n", I(5)}})})}});
  auto jq = [&](std::string_view expression) { return data.run("jq", value, S(expression)); };
  EXPECT_EQ(jq(".a.b"), "[[1, 2, 3]]");
  EXPECT_EQ(jq(".a.b[]"), "[1, 2, 3]");
  EXPECT_EQ(jq(".a[\"b\"][-1]"), "[3]");
  EXPECT_EQ(jq(".[\"a\"].b[1:]"), "[[2, 3]]");
  EXPECT_EQ(jq(".a.b[:1]"), "[[1]]");
  EXPECT_EQ(jq(".missing.deep"), "[nil]");
  EXPECT_EQ(jq(".list[] | select(.n > 2)"), "[{n: 5}]");
  EXPECT_EQ(jq(".list | map(.n)"), "[[1, 5]]");
  EXPECT_EQ(jq(".a.b | length, (.[0] == 1), type"), "[3, true, array]");
  EXPECT_EQ(jq("{x: .s, s, \"k\": 1}"), "[{k: 1, s: text, x: text}]");
  EXPECT_EQ(jq("[.list[].n]"), "[[1, 5]]");
  EXPECT_EQ(jq(".s == \"text\" and (.a == null | not)"), "[true]");
  EXPECT_EQ(jq("keys"), "[[a, list, s]]");
  EXPECT_EQ(jq("[..] | length"), "[12]");
  EXPECT_EQ(jq("."), "[" + display(value) + "]");
  EXPECT_TRUE(jq(".a |").starts_with("!jq: "));
  EXPECT_TRUE(jq("nope").starts_with("!jq: unknown function"));
  EXPECT_TRUE(jq(".[").starts_with("!jq: "));
  EXPECT_TRUE(jq(std::string(100'000, '[')).starts_with("!jq: "));
  EXPECT_TRUE(jq(std::string(100'000, '(')).starts_with("!jq: "));
  EXPECT_TRUE(jq("{" + std::string(1000, '(')).starts_with("!jq: "));
  EXPECT_EQ(data.run("jq_first", value, S(".list[].n")), "1");
  EXPECT_EQ(data.run("jq_first", value, S("empty")), "nil");
}

TEST(Jq, DeepValuesAndManyOutputsEndInAnError) {
  DataCall data;
  EXPECT_TRUE(data.run("jq", nested_list(100'000), S("[..|..]|length")).starts_with("!jq: "));
  Value wide = new_range(0, 100'000);
  EXPECT_TRUE(data.run("jq", wide, S(".[] as")).starts_with("!jq: "));
  EXPECT_EQ(data.run("jq_first", wide, S("[.[]]|length")), "100000");
}

}  // namespace
}  // namespace harn::builtins
