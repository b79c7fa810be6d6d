#include "audit/bound.h"

#include <gtest/gtest.h>

namespace harn::audit {
namespace {

Bound unknown() { return Bound(Obstacle{nullptr, {}, "a loop"}); }

TEST(Bound, NothingTimesAnUnknownNumberIsNothing) {
  EXPECT_TRUE((Bound() * unknown()).is_zero());
  EXPECT_TRUE((unknown() * Bound()).is_zero());
  EXPECT_FALSE((Bound(1) * unknown()).is_known());
}

TEST(Bound, AnObstacleStaysOne) {
  EXPECT_FALSE((Bound(3) + unknown()).is_known());
  EXPECT_FALSE(Bound::larger(Bound(3), unknown()).is_known());
  EXPECT_EQ(Bound::tighter(Bound(3), unknown()).most(), 3);
}

TEST(Bound, OfCostsIsTheLargerOfEachPart) {
  Cost a{.model_calls = 1, .tokens = 10}, b{.model_calls = 2, .tokens = 5};
  Cost both = Cost::larger(a, b);
  EXPECT_EQ(both.model_calls.most(), 2);
  EXPECT_EQ(both.tokens.most(), 10);
}

}  // namespace
}  // namespace harn::audit
