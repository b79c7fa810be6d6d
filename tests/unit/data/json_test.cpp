#include <gtest/gtest.h>

#include <random>

#include "../vm/make_values.h"
#include "data/json.h"
#include "vm/ops.h"

namespace harn::data {
namespace {

using namespace vm;

std::string parsed(std::string_view text) {
  auto value = parse_json(text);
  return value ? display(*value) : "!" + value.error().text();
}

std::string written(const Value& value, int indent = 0) {
  std::string out;
  return append_json(out, value, indent) ? out : "too large";
}

TEST(JsonParse, Values) {
  EXPECT_EQ(parsed("null"), "nil");
  EXPECT_EQ(parsed(" [1, -2, 3.5, true, false, \"a\"] "), "[1, -2, 3.5, true, false, a]");
  EXPECT_EQ(parsed("{\"b\": 1, \"a\": {}}"), "{a: {}, b: 1}");
  EXPECT_EQ(parsed("{\"a\": 1, \"a\": 2}"), "{a: 2}");
  EXPECT_EQ(parsed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(parsed("9223372036854775808"), "9223372036854776000");
  EXPECT_EQ(parsed("[123456789012345678901234567890]"), "[123456789012345680000000000000]");
  EXPECT_EQ(parsed("-9223372036854775809"), "-9223372036854776000");
  EXPECT_EQ(parsed("1e400"), "inf");
  EXPECT_EQ(parsed("\"\\u00e9\\ud83d\\ude00\\n\\/\""), "é😀\n/");
  EXPECT_EQ(parsed("1.0"), "1.0");
}

TEST(JsonParse, SaysWhereTheMistakeIs) {
  EXPECT_EQ(parsed(""), "!unexpected end of input, expected a value at line 1 column 1");
  EXPECT_EQ(parsed("{\"a\": 1,\n  b}"), "!unexpected character 'b', expected a string at line 2 column 3");
  EXPECT_EQ(parsed("[1, 2"), "!unexpected end of input, expected `,` or `]` at line 1 column 6");
  EXPECT_EQ(parsed("[1,]"), "!unexpected character ']', expected a value at line 1 column 4");
  EXPECT_EQ(parsed("01"), "!a number must not start with 0 at line 1 column 2");
  EXPECT_EQ(parsed("\"é"), "!unterminated string at line 1 column 3");
  EXPECT_EQ(parsed("1 2"), "!unexpected characters after the value at line 1 column 3");
  EXPECT_EQ(parsed("\"\\ud800\"").substr(0, 10), "!unpaired ");
  EXPECT_EQ(parsed("\"\xff\"").substr(0, 14), "!invalid UTF-8");
  EXPECT_EQ(parsed("nul").substr(0, 1), "!");
  EXPECT_EQ(parsed("\"a\tb\"").substr(0, 8), "!control");
}

TEST(JsonParse, DepthIsBounded) {
  std::string deep(1000, '[');
  deep += std::string(1000, ']');
  EXPECT_TRUE(parse_json(deep).has_value());
  std::string deeper(100'000, '[');
  EXPECT_EQ(parsed(deeper), "!nested more than 1000 levels deep at line 1 column 1001");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(parsed(objects).starts_with("!nested"));
}

TEST(JsonParse, EqualObjectsShareAShape) {
  auto value = parse_json(R"([{"json_x": 1, "json_y": 2}, {"json_x": 3, "json_y": 4}, {"json_y": 1, "json_x": 2}])");
  const ListObject* list = value->as_list();
  EXPECT_EQ(list->items[0].as_dict()->shape, list->items[1].as_dict()->shape);
  EXPECT_NE(list->items[0].as_dict()->shape, nullptr);
  EXPECT_EQ(display(list->items[2]), "{json_x: 2, json_y: 1}");
}

TEST(JsonParse, ManyKeysAndChangingShapes) {
  std::string text = "[";
  for (int i = 0; i < 300; ++i) {
    if (i) text += ',';
    text += '{';
    for (int j = 0; j < i; ++j) text += (j ? ",\"k" : "\"k") + std::to_string(j % 200) + "\":" + std::to_string(j);
    text += '}';
  }
  text += "]";
  auto value = parse_json(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->as_list()->items[299].as_dict()->find("k5")->as_int(), 205);
}

TEST(JsonWrite, Values) {
  EXPECT_EQ(written(D({{"b", L({I(1), F(1), F(2.5), Value(), B(true)})}, {"a", S("x")}})),
            R"({"a":"x","b":[1,1,2.5,null,true]})");
  EXPECT_EQ(written(S("\"\\\n\r\t\x01 é /")), "\"\\\"\\\\\\n\\r\\t\\u0001 é /\"");
  EXPECT_EQ(written(set_of({I(1), I(2)})), "[1,2]");
  EXPECT_EQ(written(new_range(1, 3)), "[1,2,3]");
  EXPECT_EQ(written(new_ok(I(1))), "null");
  EXPECT_EQ(written(new_bytes("abcd")), R"({"$bytes_b64":"YWJjZA=="})");
  EXPECT_EQ(written(F(1e300)).size(), 301u);
  EXPECT_EQ(written(F(NAN)), "NaN");
  EXPECT_EQ(written(L({I(1), D({{"a", L({})}})}), 2), "[\n  1,\n  {\n    \"a\": []\n  }\n]");
  EXPECT_EQ(written(nested_list(100'000)), "too large");
}

TEST(JsonWrite, EveryControlCharacterAndLength) {
  for (int c = 0; c < 256; ++c) {
    for (size_t before : {0, 1, 7, 8, 9, 20}) {
      std::string text = std::string(before, 'x') + static_cast<char>(c < 128 ? c : 'y') + "tail of text";
      std::string json;
      append_json_string(json, text);
      ASSERT_EQ(parsed(json), text) << c;
    }
  }
}

Value random_value(std::mt19937& random, int depth) {
  switch (random() % (depth > 4 ? 6 : 8)) {
    case 0: return Value();
    case 1: return B(random() % 2);
    case 2: return I(static_cast<int64_t>(random()) * (random() % 2 ? 1 : -1));
    case 3: return F(static_cast<double>(random()) / 7.0 - 1e8);
    case 4:
    case 5: {
      std::string text;
      for (unsigned i = random() % 20; i > 0; --i) text += static_cast<char>(1 + random() % 126);
      return S(text);
    }
    case 6: {
      auto list = new_list();
      for (unsigned i = random() % 5; i > 0; --i) list->push(random_value(random, depth + 1));
      return list;
    }
    default: {
      Value dict = new_dict();
      for (unsigned i = random() % 30; i > 0; --i)
        dict_set(dict, "rnd" + std::to_string(random() % 40), random_value(random, depth + 1));
      return dict;
    }
  }
}

TEST(Json, RoundTrips) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    Value value = random_value(random, 0);
    std::string text = written(value);
    auto back = parse_json(text);
    ASSERT_TRUE(back) << text;
    ASSERT_TRUE(equal(*back, value)) << text;
    auto indented = parse_json(written(value, 3));
    ASSERT_TRUE(indented && equal(*indented, value)) << text;
  }
}

}  // namespace
}  // namespace harn::data
