#include "vm/ops.h"

#include <gtest/gtest.h>

#include "make_values.h"

namespace harn::vm {
namespace {

std::string shown(Outcome<Value> outcome) {
  if (outcome) return display(*outcome);
  return "!" + display(caught_value(*outcome.error()));
}

TEST(Arithmetic, Numbers) {
  EXPECT_EQ(shown(add(I(1), I(2))), "3");
  EXPECT_EQ(shown(add(I(1), F(2))), "3.0");
  EXPECT_EQ(shown(add(I(INT64_MAX), I(1))), std::to_string(INT64_MIN));
  EXPECT_EQ(shown(divide(I(-7), I(2))), "-3");
  EXPECT_EQ(shown(modulo(I(-7), I(3))), "-1");
  EXPECT_EQ(shown(divide(I(INT64_MIN), I(-1))), std::to_string(INT64_MIN));
  EXPECT_EQ(shown(modulo(I(INT64_MIN), I(-1))), "0");
  EXPECT_EQ(shown(divide(I(1), I(0))), "!division by zero");
  EXPECT_EQ(shown(divide(F(1), I(0))), "inf");
  EXPECT_EQ(shown(modulo(F(1), F(0))), "!division by zero");
  EXPECT_EQ(shown(power(I(2), I(10))), "1024");
  EXPECT_EQ(shown(power(I(2), I(64))), "0");
  EXPECT_EQ(shown(power(I(2), I(-1))), "0.5");
  EXPECT_EQ(shown(power(I(2), I(5'000'000'000))), "inf");
  EXPECT_EQ(shown(negate(I(INT64_MIN))), std::to_string(INT64_MIN));
}

TEST(Arithmetic, BadOperands) {
  EXPECT_EQ(shown(add(I(1), S("a"))), "!Type error: Cannot add int and string");
  EXPECT_EQ(shown(subtract(S("a"), I(1))), "!Type error: Cannot subtract int from string");
  EXPECT_EQ(shown(divide(S("a"), I(1))), "!Type error: Cannot divide string by int");
  EXPECT_EQ(shown(negate(S("a"))), "!Runtime error: Cannot negate value of type string");
}

TEST(Arithmetic, Collections) {
  EXPECT_EQ(shown(add(S("a"), S("b"))), "ab");
  EXPECT_EQ(shown(multiply(S("ab"), I(3))), "ababab");
  EXPECT_EQ(shown(multiply(I(-1), S("ab"))), "");
  EXPECT_EQ(shown(multiply(S("ab"), I(INT64_MAX))), "!Runtime error: string too large");
  EXPECT_EQ(shown(add(L({I(1)}), new_range(2, 2))), "[1, 2, 3]");
  EXPECT_EQ(shown(add(new_range(2, 2), L({}))), "[2, 3]");
  EXPECT_EQ(shown(add(new_range(0, INT64_MAX), L({}))), "!Runtime error: list too large");
  EXPECT_EQ(shown(add(D({{"a", I(1)}}), D({{"a", I(2)}}))), "{a: 2}");
  Value list = L({I(1)});
  EXPECT_EQ(shown(add(list, list)), "[1, 1]");
  EXPECT_EQ(display(list), "[1]");
}

TEST(Index, ReadsAndMisses) {
  EXPECT_EQ(shown(index(L({I(1), I(2)}), I(-1))), "2");
  EXPECT_EQ(shown(index(L({I(1)}), I(1))), "nil");
  EXPECT_EQ(shown(index(L({I(1)}), I(INT64_MIN))), "nil");
  EXPECT_EQ(shown(index(S("héy"), I(1))), "é");
  EXPECT_EQ(shown(index(S("héy"), I(-1))), "y");
  EXPECT_EQ(shown(index(new_range(5, 3), I(1))), "6");
  EXPECT_EQ(shown(index(D({{"1", S("x")}}), I(1))), "x");
  EXPECT_EQ(shown(index(Value(), I(1))), "!Type error: cannot index into nil with int");
}

TEST(Slice, ClampsItsBounds) {
  EXPECT_EQ(shown(slice(L({I(1), I(2), I(3)}), I(1), Value())), "[2, 3]");
  EXPECT_EQ(shown(slice(S("héllo"), I(1), I(-1))), "éll");
  EXPECT_EQ(shown(slice(S("abc"), I(2), I(1))), "");
  EXPECT_EQ(shown(slice(new_range(0, 10), I(-3), I(100))), "[7, 8, 9]");
  EXPECT_EQ(shown(slice(S("abc"), I(INT64_MIN), I(INT64_MAX))), "abc");
  EXPECT_EQ(shown(slice(S("abc"), S("x"), Value())), "!Type error: slice start must be an integer, got string");
  EXPECT_EQ(shown(slice(I(1), Value(), Value())), "!Type error: cannot slice int");
}

TEST(Range, MayEndAtTheLargestInt) {
  Value range = *range_between(I(INT64_MAX - 1), I(INT64_MAX), true);
  EXPECT_EQ(list_size(range), 2u);
  EXPECT_EQ(shown(index(range, I(-1))), std::to_string(INT64_MAX));
  EXPECT_EQ(shown(slice(range, I(2), Value())), "[]");
  EXPECT_EQ(place_in_range(range.as_range(), I(INT64_MAX)), 1);
  EXPECT_EQ(place_in_range(range.as_range(), I(INT64_MIN)), -1);
  EXPECT_EQ(place_in_range(range.as_range(), F(0x1p63)), 0);
  EXPECT_EQ(shown(range_between(I(5), I(2), true)), "[]");
  EXPECT_EQ(shown(range_between(I(INT64_MAX), I(INT64_MIN), true)), "[]");
  EXPECT_EQ(list_size(*range_between(I(0), I(INT64_MAX), false)), static_cast<size_t>(INT64_MAX));
  EXPECT_TRUE(shown(range_between(I(INT64_MIN), I(INT64_MAX), true)).starts_with("!Runtime error: this range"));
  EXPECT_EQ(shown(range_between(I(1), S("x"), true)), "!Type error: `to` needs two ints, got string");
}

TEST(Contains, EveryCollection) {
  EXPECT_TRUE(contains(L({I(1)}), F(1)));
  EXPECT_TRUE(contains(S("a1b"), I(1)));
  EXPECT_TRUE(contains(D({{"1", I(0)}}), I(1)));
  EXPECT_TRUE(contains(new_range(0, INT64_MAX), I(77)));
  EXPECT_FALSE(contains(I(1), I(1)));
}

TEST(Truthy, FollowsTheTable) {
  for (const Value& falsy : {Value(), B(false), I(0), F(0), S(""), L({}), D({}), set_of({}), Value(new_bytes(""))}) {
    EXPECT_FALSE(truthy(falsy)) << type_name(falsy);
  }
  EXPECT_TRUE(truthy(new_err(I(1))));
  EXPECT_TRUE(truthy(S("0")));
}

}  // namespace
}  // namespace harn::vm
