#include "data/loose_json.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

#include "data/json.h"
#include "base/fmt.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::data {
namespace {

using vm::Value;
using Wanted = LooseReader::Wanted;

std::string json(const std::optional<Value>& value) {
  if (!value) return "nothing";
  std::string out;
  EXPECT_TRUE(append_json(out, *value));
  return out;
}

std::string kinds(const std::vector<Repair>& repairs) {
  std::string out;
  for (const Repair& one : repairs) {
    if (!out.empty()) out += " ";
    out += one.kind;
  }
  return out;
}

struct Case {
  std::string_view text;
  std::string_view value;
  std::string_view repairs;
};

constexpr Case kCases[] = {
    {R"({"a": 1, "b": [true, null, "x\n\u00e9\ud83d\ude00"], "c": -2.5e3})",
     R"({"a":1,"b":[true,null,"x\né😀"],"c":-2500})", ""},
    {R"([])", "[]", ""},
    {R"(  {}  )", "{}", ""},
    {"Sure! Here it is:\n```json\n{\"a\": 1}\n```\nAnything else?", R"({"a":1})", "code_fence surrounding_text"},
    {"```\n[1, 2]\n```", "[1,2]", "code_fence"},
    {"The answer is {\"a\": 1}. Bye {name}!", R"({"a":1})", "surrounding_text"},
    {"Dear {name}, see [1] and [this](there): {\"a\": 1}", R"({"a":1})", "surrounding_text"},
    {"<think>maybe {\"a\": 0}?</think>{\"a\": 1}", R"({"a":1})", "thinking"},
    {"<thinking>{\"a\": 0}", "nothing", ""},
    {"{a: 1, b-c: 2}", R"({"a":1,"b-c":2})", "unquoted_key unquoted_key"},
    {"{'a': 'it's \"fine\"'}", R"({"a":"it's \"fine\""})", "other_quotes other_quotes unescaped_quote"},
    {"{\"a\": “smart”}", R"({"a":"smart"})", "other_quotes"},
    {"{\"a\": `tick`}", R"({"a":"tick"})", "other_quotes"},
    {"{\"a\": \"\"\"two\nlines \"quoted\" here\"\"\"}", R"({"a":"two\nlines \"quoted\" here"})", "other_quotes"},
    {"{\"a\": [1, 2,], \"b\": 3,}", R"({"a":[1,2],"b":3})", "trailing_comma trailing_comma"},
    {"{\"a\": 1 \"b\": 2}", R"({"a":"1 \"b\": 2"})", "unquoted_text"},
    {"{\"a\": 1\n \"b\": 2\n}", R"({"a":1,"b":2})", "missing_comma"},
    {"[\"a\"\n\"b\"]", R"(["a","b"])", "missing_comma"},
    {"{\"a\": 1, // one\n /* two */ \"b\": 2 # three\n}", R"({"a":1,"b":"2 # three"})",
     "comment comment unquoted_text"},
    {"{\"a\": \"he said \"hi\" to me\", \"b\": 1}", R"({"a":"he said \"hi\" to me","b":1})",
     "unescaped_quote unescaped_quote"},
    {"{\"a\": \"he said \"hi\", and left\", \"b\": 1}", R"({"a":"he said \"hi\", and left","b":1})",
     "unescaped_quote unescaped_quote"},
    {"[\"say \"hi\", friend\", \"b\"]", R"(["say \"hi\", friend","b"])", "unescaped_quote unescaped_quote"},
    {"{\"a\": \"x\\d\"}", R"({"a":"x\\d"})", "bad_escape"},
    {"{\"a\": \"\\ud800x\"}", "{\"a\":\"\xEF\xBF\xBDx\"}", "bad_escape"},
    {"{\"a\": \"one\ntwo\"}", R"({"a":"one\ntwo"})", "raw_newline"},
    {"{\"a\": True, \"b\": None, \"c\": NaN}", R"({"a":true,"b":null,"c":null})",
     "literal_case literal_case literal_case"},
    {"{\"a\": 3 units, \"b\": active}", R"({"a":"3 units","b":"active"})", "unquoted_text unquoted_text"},
    {"{\"a\": +1, \"b\": .5, \"c\": 2.}", R"({"a":1,"b":0.5,"c":2})", "number_form number_form number_form"},
    {"{\"a\": , \"b\": 1}", R"({"a":null,"b":1})", "missing_value"},
    {"{\"a\" \"x\", \"b\": 1}", "nothing", ""},
    {"{\"b\": 1, \"a\" \"x\"}", R"({"a":"x","b":1})", "missing_colon"},
    {"{\"a\" = 1, \"b\" => 2}", R"({"a":1,"b":2})", "missing_colon missing_colon"},
    {"{\"a\": 1, \"a\": 2,}", R"({"a":1})", "duplicate_key trailing_comma"},
    {"{\"a\": [1, {\"b\": 2}", R"({"a":[1,{"b":2}]})", "truncated"},
    {"{\"a\": \"half a sent", R"({"a":"half a sent"})", "truncated"},
    {"{\"a\": \"x\", \"ke", R"({"a":"x"})", "truncated"},
    {"{\"a\": \"x\", \"key\":", R"({"a":"x"})", "truncated"},
    {"{\"a\": 1, \"b\": 12", R"({"a":1})", "truncated"},
    {"{\"a\": true", R"({"a":true})", "truncated"},
    {"{\"a\": [1, 2}", R"({"a":[1,2]})", "mismatched_bracket"},
    {"[{\"a\": 1]", R"([{"a":1}])", "mismatched_bracket"},
    {"{\"a\": 1}]", R"({"a":1})", ""},
    {"```json\n{\"a\": [1, 2\n```\n", R"({"a":[1,2]})", "code_fence truncated"},
    {"{path: \"x\", body: <<END\nline one\n  line \"two\"\nEND\n, n: 1}",
     R"({"body":"line one\n  line \"two\"","n":1,"path":"x"})", "unquoted_key unquoted_key unquoted_key"},
    {"no json here", "nothing", ""},
    {"", "nothing", ""},
    {"{", "nothing", ""},
    {"[", "nothing", ""},
    {"{\"unfinished", "nothing", ""},
};

TEST(LooseJson, ReadsWhatModelsWrite) {
  for (const Case& one : kCases) {
    LooseValue read = read_loose(one.text);
    EXPECT_EQ(json(read.value), one.value) << one.text;
    EXPECT_EQ(kinds(read.repairs), one.repairs) << one.text;
  }
}

TEST(LooseJson, PrefersWhatIsWanted) {
  EXPECT_EQ(json(read_loose("[1] says {\"a\": [1, 2, 3]}", Wanted::Object).value), R"({"a":[1,2,3]})");
  EXPECT_EQ(json(read_loose("[ {\"a\": 1} ]", Wanted::Object).value), R"([{"a":1}])");
  EXPECT_EQ(json(read_loose("See [1]. Result: [\"a\", \"b\"]", Wanted::List).value), R"(["a","b"])");
  EXPECT_EQ(json(read_loose("Example: {\"a\": 0, \"long\": \"one\"}\n```json\n{\"a\": 1}\n```").value), R"({"a":1})");
}

// Whether the second goes on where the first has stopped.
bool continues(const Value& before, const Value& after) {
  if (before.is_list() && after.is_list()) {
    auto a = before.as_list()->values(), b = after.as_list()->values();
    if (a.size() > b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!continues(a[i], b[i])) return false;
    }
    return true;
  }
  if (before.is_dict() && after.is_dict()) {
    for (auto [key, value] : before.as_dict()->entries()) {
      const Value* later = after.as_dict()->find(key->view());
      if (!later || !continues(*value, *later)) return false;
    }
    return true;
  }
  if (before.is(vm::Kind::String) && after.is(vm::Kind::String))
    return after.as_string()->view().starts_with(before.as_string()->view());
  return vm::equal(before, after);
}

void expect_the_same_in_pieces(std::string_view text, size_t size) {
  LooseReader whole;
  whole.add(text);
  whole.finish();
  LooseReader reader;
  std::optional<Value> before;
  for (size_t at = 0; at < text.size(); at += size) {
    reader.add(text.substr(at, size));
    auto now = reader.value();
    if (before) {
      ASSERT_TRUE(now) << text;
      ASSERT_TRUE(continues(*before, *now)) << text << "\n" << json(before) << "\n" << json(now);
    }
    before = now;
  }
  reader.finish();
  ASSERT_EQ(json(reader.value()), json(whole.value())) << text;
  ASSERT_EQ(kinds(reader.repairs()), kinds(whole.repairs())) << text;
}

TEST(LooseJson, IsTheSameInPiecesAndNeverTakesBack) {
  for (const Case& one : kCases) {
    for (size_t size : {1, 2, 3, 7}) expect_the_same_in_pieces(one.text, size);
  }
}

TEST(LooseJson, RandomTextsAreReadTheSameInPieces) {
  std::mt19937 random(7);
  constexpr std::string_view kParts[] = {
      "{",        "}",     "[",   "]",    ",",    ":",    "\"", "'",  "\\",      "\\u00e9", "\n",       " ",
      "a",        "key",   "1",   "-2.5", "true", "null", "//", "/*", "*/",      "#",       "```",      "<think>",
      "</think>", "<<E\n", "E\n", "é",    "\xff", "“",    "”",  "=",  "\"a\": ", "\"x\", ", "{\"a\": ", "[1, "};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = std::uniform_int_distribution(1, 25)(random); i > 0; --i)
      text += kParts[std::uniform_int_distribution<size_t>(0, std::size(kParts) - 1)(random)];
    expect_the_same_in_pieces(text, std::uniform_int_distribution<size_t>(1, 4)(random));
    if (HasFatalFailure()) return;
  }
}

// JSON is read as it is.
TEST(LooseJson, ValidTextsNeedNoRepair) {
  std::string text = "{";
  for (int i = 0; i < 2'000; ++i)
    text += fmt::format("{}\"key {}\": [{}, \"text \\\"{}\\\", with, commas\", {{\"n\": {}.5, \"t\": true}}]",
                        i ? ", " : "", i, i, i, i);
  text += "}";
  LooseValue read = read_loose(text);
  EXPECT_EQ(kinds(read.repairs), "");
  auto strict = parse_json(text);
  ASSERT_TRUE(strict);
  EXPECT_EQ(json(read.value), json(*strict));
}

// The best of a few, since other programs run, too.
double seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Four times as much takes about four times as long, in pieces of a byte, for texts that ask for looking ahead or back.
TEST(LooseJson, TimeIsLinear) {
  auto repeat = [](std::string_view part, size_t times) {
    std::string out;
    for (size_t i = 0; i < times; ++i) out += part;
    return out;
  };
  auto texts = [&](size_t n) {
    return std::vector<std::string>{repeat("{", n),
                                    repeat("[", n),
                                    repeat("[1] ", n),
                                    repeat("{a} ", n),
                                    repeat("{{a: ", n),
                                    repeat("\" ", n),
                                    "{\"a\": \"" + repeat("\" ", n),
                                    "{\"a\": \"" + repeat("\", x", n),
                                    "{a: 1, /*" + repeat(" ", n),
                                    "{a: <<E\n" + repeat("x", n),
                                    "{" + repeat("k", n),
                                    "{\"a\": " + repeat("1", n),
                                    "{\"a\": \"x\"" + repeat(" ", n),
                                    "<think>" + repeat("<", n),
                                    repeat("`", n),
                                    "{\"a\": [" + repeat("],[", n)};
  };
  auto small = texts(2'000), large = texts(8'000);
  for (size_t i = 0; i < small.size(); ++i) {
    auto read = [](const std::string& text) {
      LooseReader reader;
      for (char c : text) reader.add({&c, 1});
      reader.finish();
      (void)read_loose(text);
    };
    double before = seconds([&] { read(small[i]); });
    double after = seconds([&] { read(large[i]); });
    EXPECT_LT(after, before * 9 + 0.01) << small[i].substr(0, 20);
  }
}

}  // namespace
}  // namespace harn::data
