#include "types/signature.h"

#include <gtest/gtest.h>

#include "types/print.h"

namespace harn::types {
namespace {

TEST(Signature, PrintsWhatItReads) {
  for (std::string text :
       {"() -> nil", "(a: int, b?: string) -> int?", "(...parts: string) -> string",
        "<T, U>(items: list<T>, f: fn(T) -> U) -> list<U>", "(o: {a: int, b?: fn() -> nil}) -> never",
        "<T>(items: list<T>) -> T?; <T>(items: list<T>, n: int) -> list<T>"}) {
    TypeTable table;
    std::string problem;
    const Type* type = parse_signature(table, text, &problem);
    ASSERT_NE(type, nullptr) << text << ": " << problem;
    EXPECT_EQ(print_signature(type), text);
  }
}

TEST(Signature, SaysWhatIsWrong) {
  TypeTable table;
  auto problem_of = [&](std::string_view text) {
    std::string problem;
    EXPECT_EQ(parse_signature(table, text, &problem), nullptr) << text;
    return problem;
  };
  EXPECT_EQ(problem_of("(a: Missing) -> nil"), "there is no type `Missing`");
  EXPECT_EQ(problem_of("(a: T) -> nil"), "there is no type `T`");
  EXPECT_EQ(problem_of("(a: int<int>) -> nil"), "`int` has fewer type arguments");
  EXPECT_NE(problem_of("(a) -> nil"), "");
  EXPECT_NE(problem_of("(a: int)"), "");
  EXPECT_NE(problem_of("(a: int) -> nil extra"), "");
  EXPECT_NE(problem_of(""), "");
}

TEST(Signature, ParametersAndOverloadsAreTypes) {
  TypeTable table;
  const Type* one = parse_signature(table, "<T>(a: T, ...b: T) -> T");
  EXPECT_EQ(one->kind, Kind::Function);
  EXPECT_EQ(one->params[0].type, one->items[0]);
  EXPECT_TRUE(one->params[1].rest);
  const Type* two = parse_signature(table, "() -> int; (a: int) -> string");
  EXPECT_EQ(two->kind, Kind::Intersection);
  EXPECT_EQ(two->items.size(), 2u);
}

}  // namespace
}  // namespace harn::types
