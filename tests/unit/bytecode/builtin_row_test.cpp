#include "bytecode/builtin_row.h"

#include <gtest/gtest.h>

namespace harn::bytecode {
namespace {

// When the row is compiled, not when the program starts.
constexpr Signature kAtCompileTime("<T>(items: list<T>, f?: fn(T, int) -> bool) -> T?");
static_assert(kAtCompileTime.least() == 1 && kAtCompileTime.most() == 2);
static_assert(Signature("(value?: any) -> never").never_returns());
static_assert(!kAtCompileTime.never_returns());

void expect_arity(std::string_view signature, uint32_t least, uint32_t most) {
  EXPECT_EQ(Signature(signature).least(), least) << signature;
  EXPECT_EQ(Signature(signature).most(), most) << signature;
}

TEST(Signature, KnowsHowManyArgumentsThereMayBe) {
  expect_arity("() -> nil", 0, 0);
  expect_arity("(a: int) -> nil", 1, 1);
  expect_arity("(a: int, b?: int) -> nil", 1, 2);
  expect_arity("(...rest: any) -> nil", 0, UINT32_MAX);
  expect_arity("(a: dict<string, int>, f: fn(int, string) -> bool) -> list<int>", 2, 2);
  expect_arity("(a: {x?: int, y: list<int>}, b?: any) -> nil", 1, 2);
  expect_arity("(a: string?, b: int) -> nil", 2, 2);
  expect_arity("<T, U>(a: T, b: U) -> (fn(T, U) -> bool)?", 2, 2);
  expect_arity("<A, B>() -> Pair<A, B>", 0, 0);
  expect_arity("() -> int; (a: int, b: int) -> int", 0, 2);
  expect_arity("<T>(a: T) -> int; <T>(a: T, b?: T, c?: T) -> {x: int, y: int}", 1, 3);
}

TEST(Signature, KnowsTheNamesOfParameters) {
  Signature one("<T, U>(items: dict<T, U>, f?: fn(T, U) -> bool, ...more: any) -> T");
  EXPECT_EQ(one.parameter_name(0), "items");
  EXPECT_EQ(one.parameter_name(1), "f");
  EXPECT_EQ(one.parameter_name(2), "");
  EXPECT_EQ(one.parameter_name(3), "");
  Signature two("() -> int; (min: int, max: int) -> int");
  EXPECT_EQ(two.parameter_name(1), "max");
  EXPECT_EQ(Signature("() -> fn(a, b) -> c").parameter_name(0), "");
}

TEST(Signature, KnowsTheFieldsOfOptions) {
  using Names = std::vector<std::string_view>;
  Signature one("(url: {a: int}, options?: {b?: int, c?: {d?: list<string>, e: int}, f: any}) -> {g: int}");
  EXPECT_EQ(one.field_names(0), Names{"a"});
  EXPECT_EQ(one.field_names(1), (Names{"b", "c", "f"}));
  EXPECT_EQ(one.field_names(2), Names{});
  EXPECT_EQ(Signature("(a: string | {b?: int}, c?: dict) -> {d: int}").field_names(0), Names{"b"});
  EXPECT_EQ(Signature("(a: string, c?: dict) -> {d: int}").field_names(1), Names{});
  EXPECT_EQ(Signature("(a: dict) -> int; (a: {b: int}) -> int").field_names(0), Names{"b"});
  // Others are welcome, too.
  EXPECT_EQ(Signature("(options: {a?: int, ...dict}) -> int").field_names(0), Names{});
  EXPECT_EQ(Signature("() -> {a: int}").field_names(0), Names{});
}

TEST(Signature, IsBriefInMessages) {
  EXPECT_EQ(Signature("(a: {b?: int, c?: int}) -> int").brief("f"), "f(a: {b?: int, c?: int}) -> int");
  EXPECT_EQ(
      Signature(
          "(x: int, a?: {b?: {z: int, y: int}, c?: int, d?: int, e: int, f: int, g: int, h: int}, i?: int) -> int")
          .brief("f"),
      "f(x: int, a?: {b?: {z: int, y: int}, c?: int, d?: int, ...}, i?: int) -> int");
}

TEST(Signature, IsShownBehindTheName) {
  EXPECT_EQ(Signature("(a: int) -> int").shown("abs"), "abs(a: int) -> int");
  EXPECT_EQ(Signature("<T>() -> T?; <T>(n: int) -> list<T>").shown("list.first"),
            "list.first<T>() -> T? or list.first<T>(n: int) -> list<T>");
}

}  // namespace
}  // namespace harn::bytecode
