#include <gtest/gtest.h>

#include <cmath>

#include "make_values.h"

namespace harn::vm {
namespace {

TEST(Equal, NumbersCompareByValue) {
  EXPECT_TRUE(equal(I(1), F(1)));
  EXPECT_FALSE(same(I(1), F(1)));
  EXPECT_FALSE(equal(F(NAN), F(NAN)));
  EXPECT_TRUE(same(F(NAN), F(NAN)));
  EXPECT_TRUE(equal(F(0.0), F(-0.0)));
  EXPECT_EQ(hash(F(0.0)), hash(F(-0.0)));
  EXPECT_FALSE(equal(I(0), Value()));
  EXPECT_FALSE(equal(B(true), I(1)));
}

TEST(Equal, StructuresCompareByContent) {
  EXPECT_TRUE(equal(L({I(1), S("a")}), L({F(1), S("a")})));
  EXPECT_FALSE(equal(L({I(1)}), L({I(1), I(2)})));
  EXPECT_TRUE(equal(D({{"a", I(1)}, {"b", I(2)}}), D({{"b", I(2)}, {"a", F(1)}})));
  EXPECT_FALSE(equal(D({{"a", I(1)}}), D({{"b", I(1)}})));
  EXPECT_TRUE(equal(set_of({I(1), I(2)}), set_of({I(2), I(1)})));
  EXPECT_TRUE(equal(new_pair(I(1), I(2)), new_pair(I(1), I(2))));
  EXPECT_TRUE(equal(new_ok(L({I(1)})), new_ok(L({I(1)}))));
  EXPECT_FALSE(equal(new_ok(I(1)), new_err(I(1))));
  EXPECT_TRUE(equal(new_bytes("ab"), new_bytes("ab")));
}

TEST(Equal, RangesAreLists) {
  EXPECT_TRUE(equal(new_range(1, 3), L({I(1), I(2), I(3)})));
  EXPECT_TRUE(equal(L({I(1), F(2)}), new_range(1, 2)));
  EXPECT_FALSE(equal(new_range(1, 3), L({I(1), I(2)})));
  EXPECT_TRUE(equal(new_range(1, 0), new_range(5, 0)));
  EXPECT_EQ(hash(new_range(1, 1999)), hash(to_list_object(new_range(1, 1999))));
  hash(new_range(0, INT64_MAX));
}

TEST(Equal, StructsNeedTheSameType) {
  StringObject* fields[] = {intern("x")};
  auto a = new_struct_type("A", fields), b = new_struct_type("B", fields);
  EXPECT_TRUE(equal(new_struct(a.get()), new_struct(a.get())));
  EXPECT_FALSE(equal(new_struct(a.get()), new_struct(b.get())));
  EXPECT_FALSE(equal(new_struct(a.get()), D({{"x", Value()}})));
}

TEST(Equal, AMillionLevelsDeep) {
  Value a = nested_list(1'000'000), b = nested_list(1'000'000), c = nested_list(999'999);
  EXPECT_TRUE(equal(a, b));
  EXPECT_FALSE(equal(a, c));
  EXPECT_TRUE(same(a, b));
  EXPECT_EQ(hash(a), hash(b));
}

TEST(Compare, OrdersNumbersStringsAndPairs) {
  EXPECT_EQ(compare(I(1), F(1.5)), -1);
  EXPECT_EQ(compare(S("b"), S("a")), 1);
  EXPECT_EQ(compare(new_pair(I(1), I(2)), new_pair(I(1), I(3))), -1);
  EXPECT_EQ(compare(L({I(1)}), L({I(2)})), 0);
  EXPECT_TRUE(less_equal(S("a"), I(1)));
  EXPECT_FALSE(less(S("a"), I(1)));
  EXPECT_FALSE(less_equal(F(NAN), F(1)));
  EXPECT_FALSE(less(F(NAN), F(1)));
}

}  // namespace
}  // namespace harn::vm
