#include <gtest/gtest.h>

#include <cmath>

#include "make_values.h"
#include "vm/builtin.h"

namespace harn::vm {
namespace {

std::string shown(double number) { return display(F(number)); }

TEST(Print, Floats) {
  EXPECT_EQ(shown(3), "3.0");
  EXPECT_EQ(shown(-0.0), "-0.0");
  EXPECT_EQ(shown(0), "0.0");
  EXPECT_EQ(shown(100000), "100000.0");
  EXPECT_EQ(shown(0.1), "0.1");
  EXPECT_EQ(shown(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(shown(1e-7), "0.0000001");
  EXPECT_EQ(shown(1e15), "1000000000000000");
  EXPECT_EQ(shown(999999999999999), "999999999999999.0");
  EXPECT_EQ(shown(9223372036854775808.0), "9223372036854776000");
  EXPECT_EQ(shown(1234.5678), "1234.5678");
  EXPECT_EQ(shown(-2.5), "-2.5");
  EXPECT_EQ(shown(INFINITY), "inf");
  EXPECT_EQ(shown(-INFINITY), "-inf");
  EXPECT_EQ(shown(NAN), "NaN");
  EXPECT_EQ(shown(5e-324).size(), 326u);
  EXPECT_EQ(shown(1.7976931348623157e308).size(), 309u);
}

TEST(Print, Structures) {
  EXPECT_EQ(display(L({I(1), S("a"), Value()})), "[1, a, nil]");
  EXPECT_EQ(display(L({})), "[]");
  EXPECT_EQ(display(D({{"name", S("Alice")}, {"age", I(30)}})), "{age: 30, name: Alice}");
  EXPECT_EQ(display(D({})), "{}");
  EXPECT_EQ(display(set_of({I(1), I(2)})), "set(1, 2)");
  EXPECT_EQ(display(set_of({})), "set()");
  EXPECT_EQ(display(new_pair(I(1), S("b"))), "(1, b)");
  EXPECT_EQ(display(new_ok(I(42))), "Result.Ok(42)");
  EXPECT_EQ(display(new_range(1, 3)), "[1, 2, 3]");
  EXPECT_EQ(display(new_bytes("\x01\xff")), "b\"01ff\"");
  EXPECT_EQ(display(new_bytes(std::string(34, 'a'))).substr(66), "...+2\"");
  EXPECT_EQ(display(L({D({{"k", L({B(true)})}})})), "[{k: [true]}]");
}

TEST(Print, TypeNames) {
  EXPECT_EQ(type_name(new_range(1, 1)), "list");
  EXPECT_EQ(type_name(new_ok(I(1))), "enum");
  EXPECT_EQ(type_name(Value()), "nil");
  EXPECT_EQ(type_name(F(1)), "float");
}

TEST(Print, AMillionLevelsDeepIsCutOff) {
  std::string text = display(nested_list(1'000'000));
  EXPECT_NE(text.find("..."), std::string::npos);
}

}  // namespace
}  // namespace harn::vm
