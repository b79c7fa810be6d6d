#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../vm/make_values.h"
#include "all_families.h"
#include "support/memory_host.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

// What the natives answer at the edges. What a program sees is in tests/conformance.
namespace harn::builtins {
namespace {

using namespace vm;

const BuiltinTable& table() {
  static const std::vector<std::span<const Builtin>> kSpans = [] {
    std::vector<std::span<const Builtin>> spans;
    for (const Family& family : core_families()) spans.push_back(family.rows);
    return spans;
  }();
  static const BuiltinTable kTable(kSpans);
  return kTable;
}

Vm& any_vm() {
  static test::MemoryHost host;
  static Vm vm(table(), host, {});
  return vm;
}

std::string run_row(const Builtin* row, std::vector<Value> args) {
  if (!row) return "no such row";
  Call call(any_vm(), *row, args.data(), static_cast<uint32_t>(args.size()));
  auto result = row->call(call);
  return result ? display(*result) : "error: " + describe(*result.error());
}

template <class... Args>
std::string run(std::string_view name, Args... args) {
  return run_row(table().find(name), {Value(args)...});
}

template <class... Args>
std::string on_value(Value receiver, std::string_view name, Args... args) {
  return run_row(table().find_method(receiver, name), {receiver, Value(args)...});
}

Value R(int64_t start, int64_t end) { return new_range(start, end - start); }

TEST(Text, CutsByCharacter) {
  EXPECT_EQ(on_value(S("äbcdé"), "substring", I(1), I(3)), "bc");
  EXPECT_EQ(on_value(S("äbcdé"), "substring", I(4)), "é");
  EXPECT_EQ(on_value(S("abc"), "substring", I(-5), I(2)), "ab");
  EXPECT_EQ(on_value(S("abc"), "substring", I(2), I(1)), "");
  EXPECT_EQ(on_value(S("abc"), "substring", I(9), I(INT64_MAX)), "");
  EXPECT_EQ(run("substring", S("äbcdé"), I(3), I(INT64_MAX)), "dé");
  EXPECT_EQ(run("substring", S("abc"), I(INT64_MAX), I(INT64_MAX)), "");
  EXPECT_EQ(run("substring", S("abc"), I(1), I(-1)), "");
  EXPECT_EQ(on_value(S("aé"), "char_at", I(1)), "é");
  EXPECT_EQ(on_value(S("aé"), "char_at", I(2)), "nil");
  EXPECT_EQ(on_value(S("aé"), "char_at", I(-1)), "nil");
}

TEST(Text, Searches) {
  EXPECT_EQ(on_value(S("éab"), "index_of", S("b")), "2");
  EXPECT_EQ(on_value(S("éab"), "index_of", S("")), "0");
  EXPECT_EQ(on_value(S("éab"), "last_index_of", S("")), "3");
  EXPECT_EQ(on_value(S("éab"), "index_of", S("x")), "-1");
  EXPECT_EQ(run("contains", S("a1"), I(1)), "true");
  EXPECT_EQ(run("contains", R(1, 4), I(3)), "true");
  EXPECT_EQ(run("contains", I(1), I(3)), "false");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(run("split", S("ab"), S("")), "[, a, b, ]");
  EXPECT_EQ(run("split", S(""), S(",")), "[]");
  EXPECT_EQ(run("split", S("a,,b"), S(",")), "[a, , b]");
  EXPECT_EQ(on_value(S("a\r\nb\n\nc"), "lines"), "[a, b, , c]");
  EXPECT_EQ(on_value(S(""), "lines"), "[]");
  EXPECT_EQ(run("join", L({I(1), S("b"), Value()}), S("-")), "1-b-nil");
  EXPECT_EQ(run("join", I(1), S("-")), "");
}

TEST(Text, Replaces) {
  EXPECT_EQ(run("replace", S("aaa"), S("aa"), S("b")), "ba");
  EXPECT_EQ(run("replace", S("aé"), S(""), S("-")), "-a-é-");
  EXPECT_EQ(run("replace", S("abc"), S("abc"), S("")), "");
  EXPECT_EQ(run("replace", S("abc"), S("x"), S("y")), "abc");
}

TEST(Text, RefusesHugeResults) {
  EXPECT_TRUE(on_value(S("ab"), "repeat", I(INT64_MAX)).starts_with("error: "));
  EXPECT_TRUE(on_value(S("ab"), "pad_left", I(INT64_MAX), S("é")).starts_with("error: "));
  EXPECT_TRUE(run("str_pad", S("ab"), I(INT64_MAX)).starts_with("error: "));
  EXPECT_EQ(on_value(S(""), "repeat", I(INT64_MAX)), "");
  EXPECT_EQ(on_value(S("ab"), "repeat", I(-1)), "");
  EXPECT_EQ(on_value(S("ab"), "pad_left", I(INT64_MIN)), "ab");
}

TEST(Text, PadsAndReverses) {
  EXPECT_EQ(on_value(S("é"), "pad_left", I(3), S("xy")), "xxé");
  EXPECT_EQ(on_value(S("é"), "pad_right", I(3), S("")), "é  ");
  EXPECT_EQ(on_value(S("aéb"), "reverse"), "béa");
  EXPECT_EQ(run("str_pad", S("a"), I(4), S("-"), S("both")), "-a--");
  EXPECT_EQ(run("str_pad", S("e\u0301"), I(2), S("-"), S("left")), "-e\u0301");
  EXPECT_EQ(run("str_pad", S("a"), I(4), S("-"), S("up")), "error: str_pad: side must be left, right, or both");
}

TEST(Text, Formats) {
  EXPECT_EQ(run("format", S("{} {} {}"), I(1), S("{}")), "1 {} {}");
  EXPECT_EQ(run("format", S("{a} {b} {{a}"), D({{"a", I(1)}})), "1 {b} {1");
  EXPECT_EQ(run("format", S("{a"), D({{"a", I(1)}})), "{a");
}

TEST(Text, MapsCase) {
  EXPECT_EQ(run("uppercase", S("straße ŉ ﬁ ᾳ İ")), "STRASSE ʼN FI ΑΙ İ");
  EXPECT_EQ(run("lowercase", S("ΣΑΣ İ ΑΣ.")), "σας i̇ ας.");
  EXPECT_EQ(run("title_case", S("the  END\tof")), "The  End\tOf");
  EXPECT_EQ(run("camel_to_snake", S("parseHTTPRequest2")), "parse_http_request2");
  EXPECT_EQ(run("snake_to_camel", S("__some__name_")), "someName");
  EXPECT_EQ(run("snake_to_pascal", S("some_name")), "SomeName");
  EXPECT_EQ(run("kebab_to_snake", S("-a--b-")), "a_b");
  EXPECT_EQ(run("camel_to_kebab", S("")), "");
}

TEST(Text, SurvivesBrokenUtf8) {
  Value broken =
      S("a\xFF\xC3"
        "b");
  EXPECT_EQ(on_value(broken, "count"), "4");
  EXPECT_EQ(on_value(broken, "reverse"),
            "b\xC3\xFF"
            "a");
  EXPECT_FALSE(run("unicode_normalize", broken).starts_with("error"));
  EXPECT_FALSE(run("uppercase", broken).empty());
  EXPECT_FALSE(run("unicode_graphemes", broken).empty());
}

TEST(Lists, CutEnds) {
  Value list = L({I(1), I(2), I(3)});
  EXPECT_EQ(on_value(list, "first", I(-1)), "[]");
  EXPECT_EQ(on_value(list, "first", I(9)), "[1, 2, 3]");
  EXPECT_EQ(on_value(list, "last", I(2)), "[2, 3]");
  EXPECT_EQ(on_value(L({}), "last"), "nil");
  EXPECT_EQ(on_value(list, "slice", I(-2), I(-1)), "[2]");
  EXPECT_EQ(on_value(list, "slice", I(INT64_MIN), I(INT64_MAX)), "[1, 2, 3]");
  EXPECT_EQ(on_value(list, "slice", I(2), I(1)), "[]");
  EXPECT_EQ(on_value(list, "skip", I(-4)), "[1, 2, 3]");
  EXPECT_EQ(on_value(R(1, 4), "slice", I(1)), "[2, 3]");
}

TEST(Lists, NeverChangeTheReceiver) {
  Value list = L({I(1), I(2)});
  EXPECT_EQ(on_value(list, "push", I(3)), "[1, 2, 3]");
  EXPECT_EQ(on_value(list, "pop"), "[1]");
  EXPECT_EQ(on_value(list, "reverse"), "[2, 1]");
  EXPECT_EQ(on_value(L({}), "pop"), "[]");
  EXPECT_EQ(on_value(R(0, 3), "pop"), "[0, 1]");
  EXPECT_EQ(on_value(R(0, 3), "push", I(9)), "[0, 1, 2, 9]");
  EXPECT_EQ(display(list), "[1, 2]");
}

TEST(Lists, AnswerForHugeRanges) {
  Value huge = R(0, INT64_MAX);
  EXPECT_EQ(on_value(huge, "count"), "9223372036854775807");
  EXPECT_EQ(on_value(huge, "last"), "9223372036854775806");
  EXPECT_EQ(on_value(huge, "max"), "9223372036854775806");
  EXPECT_EQ(on_value(huge, "contains", F(5.0)), "true");
  EXPECT_EQ(on_value(huge, "index_of", I(-5)), "-1");
  EXPECT_EQ(on_value(R(1, 101), "sum"), "5050");
  EXPECT_EQ(on_value(R(-3, 2), "sum"), "-5");
  for (const char* name : {"reverse", "chunk", "tally", "window", "compact", "flatten"}) {
    EXPECT_TRUE(on_value(huge, name).contains("list too large")) << name;
  }
  EXPECT_TRUE(on_value(huge, "push", I(1)).contains("list too large"));
  EXPECT_TRUE(on_value(L({I(1), huge, huge}), "flatten").contains("list too large"));
  EXPECT_TRUE(run("set", huge).contains("list too large"));
  EXPECT_TRUE(run("mean", huge).contains("list too large"));
}

TEST(Lists, Fold) {
  EXPECT_EQ(on_value(L({I(1), S("x"), F(1.5)}), "sum"), "2.5");
  EXPECT_EQ(on_value(L({I(INT64_MAX), I(1)}), "sum"), "-9223372036854775808");
  EXPECT_EQ(on_value(L({}), "sum"), "0");
  EXPECT_EQ(on_value(L({I(1), F(1.0), I(0), F(0.0)}), "min"), "0");
  EXPECT_EQ(on_value(L({}), "max"), "nil");
  EXPECT_EQ(on_value(L({I(1), F(1.0), I(1)}), "unique"), "[1, 1.0]");
  EXPECT_EQ(on_value(L({S("a"), I(1), S("1")}), "tally"), "{1: 2, a: 1}");
}

TEST(Lists, Group) {
  Value list = L({I(1), I(2), I(3)});
  EXPECT_EQ(on_value(list, "chunk", I(-2)), "[[1], [2], [3]]");
  EXPECT_EQ(on_value(list, "chunk", I(INT64_MAX)), "[[1, 2, 3]]");
  EXPECT_EQ(on_value(list, "window", I(2), I(INT64_MAX)), "[[1, 2]]");
  EXPECT_EQ(on_value(list, "window", I(4)), "[]");
  EXPECT_EQ(on_value(list, "zip", R(5, 7)), "[[1, 5], [2, 6]]");
  EXPECT_EQ(on_value(list, "zip", I(5)), "[]");
  EXPECT_EQ(on_value(list, "enumerate"), "[{index: 0, value: 1}, {index: 1, value: 2}, {index: 2, value: 3}]");
  EXPECT_TRUE(run("chunk", I(1)).ends_with("chunk: first argument must be a list, got int"));
}

TEST(Sort, IsStableOnEveryPath) {
  EXPECT_EQ(on_value(L({I(3), I(1), I(2)}), "sort"), "[1, 2, 3]");
  EXPECT_EQ(on_value(L({F(0.0), F(-0.0), F(-1.5)}), "sort"), "[-1.5, 0.0, -0.0]");
  EXPECT_EQ(on_value(L({S("b"), S("ab"), S("a"), S("abcdefgh2"), S("abcdefgh1")}), "sort"),
            "[a, ab, abcdefgh1, abcdefgh2, b]");
  EXPECT_EQ(on_value(L({I(2), F(1.5), I(1)}), "sort"), "[1, 1.5, 2]");
  EXPECT_EQ(on_value(L({S("b"), Value(), S("a")}), "sort").size(), 11u);
  EXPECT_EQ(run("__sort_by_keys", L({S("a"), S("b"), S("c")}), L({I(1), I(0), I(1)})), "[b, a, c]");
}

TEST(Sort, SurvivesNan) {
  std::mt19937 random(1);
  auto list = new_list();
  for (int i = 0; i < 2000; ++i) {
    list->push(i % 3 == 0 ? F(std::nan("")) : F(static_cast<double>(random() % 100)));
  }
  EXPECT_FALSE(on_value(list, "sort").starts_with("error"));
  EXPECT_FALSE(run("median", list).starts_with("error"));
}

TEST(Dicts, AnswerInKeyOrder) {
  Value dict = D({{"b", I(1)}, {"a", I(2)}});
  EXPECT_EQ(on_value(dict, "keys"), "[a, b]");
  EXPECT_EQ(run("entries", dict), "[{key: a, value: 2}, {key: b, value: 1}]");
  EXPECT_EQ(run("values", I(1)), "[]");
  EXPECT_EQ(on_value(dict, "get", S("x"), I(7)), "7");
  EXPECT_EQ(on_value(D({{"1", I(5)}}), "get", I(1)), "5");
  EXPECT_EQ(on_value(dict, "merge", D({{"a", I(9)}})), "{a: 9, b: 1}");
  EXPECT_EQ(on_value(dict, "remove", S("a")), "{b: 1}");
  EXPECT_EQ(on_value(dict, "remove", S("zz")), "{a: 2, b: 1}");
  EXPECT_EQ(display(dict), "{a: 2, b: 1}");
}

TEST(Sets, CombineInOrder) {
  Value a = set_of({I(1), I(2)}), b = set_of({I(2), I(3)});
  EXPECT_EQ(run("set_union", a, b), "set(1, 2, 3)");
  EXPECT_EQ(run("set_symmetric_difference", a, b), "set(1, 3)");
  EXPECT_EQ(run("set_union", set_of({I(1)}), set_of({F(1.0)})), "set(1, 1.0)");
  EXPECT_EQ(on_value(set_of({I(1)}), "union", set_of({F(1.0)})), "set(1)");
  EXPECT_EQ(on_value(set_of({I(1)}), "contains", F(1.0)), "true");
  EXPECT_EQ(on_value(set_of({I(1)}), "remove", F(1.0)), "set()");
  EXPECT_EQ(on_value(a, "intersect", I(1)), "set()");
  EXPECT_EQ(on_value(a, "is_disjoint", I(1)), "true");
  EXPECT_TRUE(run("set_add", I(1), I(2)).ends_with("set_add: first argument must be a set"));
}

TEST(Maths, KeepsTheKind) {
  EXPECT_EQ(run("abs", I(INT64_MIN)), "9223372036854776000");
  EXPECT_EQ(run("min", I(1), F(2.0)), "1.0");
  EXPECT_EQ(run("round", F(-2.5)), "-3");
  EXPECT_TRUE(run("floor", F(std::nan(""))).ends_with("cannot convert non-finite float to int"));
  EXPECT_TRUE(run("ceil", F(1e19)).ends_with("float is outside the representable int range"));
  EXPECT_EQ(run("pow", I(2), I(62)), "4611686018427387904");
  EXPECT_EQ(run("pow", I(2), I(63)), "9223372036854776000");
  EXPECT_EQ(run("pow", I(-1), I(INT64_MAX)), "-1");
  EXPECT_EQ(run("pow", I(2), I(-1)), "0.5");
  EXPECT_EQ(run("percentile", L({I(1), I(2), I(3), I(4)}), I(25)), "1.75");
  EXPECT_TRUE(run("mean", L({S("x")})).ends_with("mean must be numeric"));
  EXPECT_TRUE(run("stddev", L({I(1)}), B(true)).ends_with("requires at least 2 values"));
}

TEST(Paths, ReadLikeThePlatform) {
  EXPECT_EQ(run("dirname", S("/")), "");
  EXPECT_EQ(run("dirname", S("/a")), "/");
  EXPECT_EQ(run("dirname", S("a//b/")), "a");
  EXPECT_EQ(run("basename", S("a/b/")), "b");
  EXPECT_EQ(run("basename", S("..")), "");
  EXPECT_EQ(run("basename", S("/")), "");
  EXPECT_EQ(run("extname", S(".bashrc")), "");
  EXPECT_EQ(run("extname", S("a.tar.gz")), ".gz");
  EXPECT_EQ(run("path_join", S("a"), S("/b"), S("c")), "/b/c");
  EXPECT_EQ(run("path_join"), "");
  EXPECT_EQ(run("path_with_extension", S("a/b.txt"), S(".md")), "a/b.md");
  EXPECT_EQ(run("path_with_stem", S("/b.txt"), S("c")), "/c.txt");
  EXPECT_EQ(run("path_workspace_normalize", S("../x"), S("/w")), "nil");
  EXPECT_EQ(run("path_workspace_normalize", S("/w/a"), S("/w")), "a");
  EXPECT_EQ(run("path_workspace_info", S(" "), S("/w")),
            "{host_path: nil, input:  , kind: invalid, normalized: nil, reason: path is empty, "
            "recovered_root_drift: false, workspace_path: nil}");
}

TEST(Uuids, Parse) {
  EXPECT_EQ(run("uuid_parse", S("{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}")), "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(run("uuid_parse", S("6ba7b8109dad11d180b400c04fd430c8")), "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(run("uuid_parse", S("6ba7b810-9dad-11d1-80b4-00c04fd430cg")), "nil");
  EXPECT_EQ(run("uuid_v5", S("DNS"), S("python.org")), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
}

}  // namespace
}  // namespace harn::builtins
