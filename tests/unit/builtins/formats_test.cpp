#include <gtest/gtest.h>

#include "data_call.h"

namespace harn::builtins {
namespace {

using namespace vm;

TEST(Yaml, ReadsScalarsByTheCoreSchema) {
  DataCall data;
  EXPECT_EQ(data.run("yaml_parse", S("[1, 0x1F, 0o17, -3, 1.5, .inf, ~, null, true, no, 'true', 1e3, 12abc, +5]")),
            "[1, 31, 15, -3, 1.5, inf, nil, nil, true, no, true, 1000.0, 12abc, 5]");
  EXPECT_EQ(data.run("type_of", *data.call("yaml_parse", {S("'1'")})), "string");
  EXPECT_EQ(data.run("yaml_parse", S("!!str 1")), "1");
  EXPECT_EQ(data.run("yaml_parse", S("")), "nil");
  EXPECT_EQ(data.run("yaml_parse", S("a:\n  - b: 1\n    c: |\n      x\n      y\n  - 2\n1: {}")),
            "{1: {}, a: [{b: 1, c: x\ny\n}, 2]}");
}

TEST(Yaml, AliasesShareTheirValue) {
  DataCall data;
  EXPECT_EQ(data.run("yaml_parse", S("a: &x [1]\nb: *x")), "{a: [1], b: [1]}");
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  }
  EXPECT_TRUE(data.call("yaml_parse", {S(bomb)}).has_value());
}

TEST(Yaml, BadInput) {
  DataCall data;
  EXPECT_TRUE(data.run("yaml_parse", S("a: [1")).starts_with("!YAML parse error: "));
  EXPECT_TRUE(data.run("yaml_parse", S("a: *nope")).starts_with("!YAML parse error: "));
  EXPECT_TRUE(data.run("yaml_parse", S("a\n---\nb")).starts_with("!YAML parse error: more than one document"));
  EXPECT_TRUE(data.run("yaml_parse", S(std::string(100'000, '['))).starts_with("!YAML parse error: "));
  EXPECT_TRUE(
      data.run("yaml_parse", I(1)).starts_with("!Type error: `yaml_parse` expects a string for `text`, got int"));
}

TEST(Yaml, WritesWhatItReads) {
  DataCall data;
  Value value =
      D({{"a", L({I(1), S("two: three"), L({}), D({}), L({L({I(1)}), I(2)}), D({{"x", I(1)}, {"y", L({I(2)})}})})},
         {"b", D({{"c", S("true")}, {"d", Value()}, {"e", F(1)}, {"f", S("multi\nline")}, {"g", S("")}})},
         {"- odd key", S("plain text")},
         {"n", S("1")},
         {"u", S("é")},
         {"dash", S("-x")},
         {"yes", S("no")}});
  auto text = data.call("yaml_stringify", {value});
  EXPECT_TRUE(equal(*data.call("yaml_parse", {*text}), value)) << display(*text);
  EXPECT_EQ(data.run("yaml_stringify", L({I(1), L({I(2), I(3)})})), "- 1\n- - 2\n  - 3\n");
  EXPECT_TRUE(data.run("yaml_stringify", nested_list(5000)).starts_with("!yaml_stringify: "));
}

TEST(Toml, ControlCharactersAreEscaped) {
  DataCall data;
  EXPECT_EQ(data.run("toml_stringify", D({{"a", S("x\x7Fy\x7F\x01")}})), "a = \"x\\u007Fy\\u007F\\u0001\"\n");
}

TEST(Toml, Reads) {
  DataCall data;
  EXPECT_EQ(data.run("toml_parse", S("a = 1\nb = [1.5, true]\n[c.d]\ne = \"x\"\n[[f]]\ng = 1979-05-27T07:32:00Z\n")),
            "{a: 1, b: [1.5, true], c: {d: {e: x}}, f: [{g: 1979-05-27T07:32:00Z}]}");
  EXPECT_TRUE(data.run("toml_parse", S("a = ")).starts_with("!TOML parse error: "));
  EXPECT_TRUE(data.run("toml_parse", S("[=")).starts_with("!TOML parse error: "));
  EXPECT_NE(data.run("toml_parse", S("x = 1\na = @")).find("line 2"), std::string::npos);
  EXPECT_TRUE(data.run("toml_parse", S("a = " + std::string(100'000, '['))).starts_with("!TOML parse error: "));
  std::string dotted = "a";
  for (int i = 0; i < 100'000; ++i) dotted += ".a";
  EXPECT_TRUE(data.run("toml_parse", S(dotted + " = 1")).starts_with("!TOML parse error: "));
}

TEST(Toml, WritesWhatItReads) {
  DataCall data;
  Value value = D({{"a", I(1)},
                   {"f", F(2)},
                   {"big", F(1e300)},
                   {"list", L({I(1), L({S("x")})})},
                   {"odd key", S("q\"\n")},
                   {"t", D({{"u", D({{"v", B(true)}})}, {"w", S("")}})},
                   {"rows", L({D({{"n", I(1)}}), D({{"n", I(2)}, {"deep", D({{"m", I(3)}})}})})},
                   {"mixed", L({D({{"n", I(1)}}), I(2)})}});
  auto text = data.call("toml_stringify", {value});
  ASSERT_TRUE(text);
  EXPECT_TRUE(equal(*data.call("toml_parse", {*text}), value)) << display(*text);
  EXPECT_EQ(data.run("toml_stringify", D({{"a", Value()}})), "!toml_stringify: nil has no TOML form");
  EXPECT_TRUE(data.run("toml_stringify", I(1)).starts_with("!toml_stringify: expected a dict"));
}

TEST(Csv, Reads) {
  DataCall data;
  EXPECT_EQ(data.run("csv_parse", S("a,b\r\n\"x, \"\"y\"\"\",\n\n1")), "[[a, b], [x, \"y\", ], [1]]");
  Value headers = D({{"headers", B(true)}});
  EXPECT_EQ(data.run("csv_parse", S("a,b\n1\n2,3,4\n"), headers), "[{a: 1, b: }, {a: 2, b: 3}]");
  EXPECT_EQ(data.run("csv_parse", S("a;b"), D({{"delimiter", S(";")}})), "[[a, b]]");
  EXPECT_EQ(data.run("csv_parse", S("a"), D({{"delimiter", S(";;")}})), "!csv_parse: delimiter must be a single byte");
  EXPECT_EQ(data.run("csv_parse", S("")), "[]");
  EXPECT_EQ(data.run("csv_parse", S("\"open")), "[[open]]");
}

TEST(Csv, Writes) {
  DataCall data;
  EXPECT_EQ(data.run("csv_stringify", L({L({I(1), S("a,b"), S("q\""), Value()})})), "1,\"a,b\",\"q\"\"\",\n");
  Value rows = L({D({{"b", I(1)}}), D({{"a", I(2)}})});
  EXPECT_EQ(data.run("csv_stringify", rows, D({{"headers", B(true)}})), "a,b\n,1\n2,\n");
  EXPECT_EQ(data.run("csv_stringify", rows), ",1\n2,\n");
  EXPECT_EQ(data.run("csv_stringify", I(1)), "!csv_stringify: expected a list of rows");
  EXPECT_EQ(data.run("csv_stringify", L({I(1)})),
            "!csv_stringify: each row must be a list of cells (or use dict rows)");
  EXPECT_EQ(data.run("csv_stringify", L({L({}), D({})})), "!csv_stringify: mixed list/dict rows are not supported");
}

}  // namespace
}  // namespace harn::builtins
