#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "make_values.h"

namespace harn::vm {
namespace {

TEST(Set, KeepsInsertionOrderAndTellsIntFromFloat) {
  Value set = set_of({I(3), I(1), F(1), I(3), S("1")});
  EXPECT_EQ(display(set), "set(3, 1, 1.0, 1)");
  EXPECT_TRUE(set.as_set()->contains(F(1)));
  EXPECT_FALSE(set.as_set()->contains(F(3)));
}

TEST(Set, CopiesOnWriteWhenShared) {
  Value a = set_of({I(1), I(2)});
  Value b = a;
  set_insert(a, I(3));
  set_erase(b, I(1));
  EXPECT_EQ(display(a), "set(1, 2, 3)");
  EXPECT_EQ(display(b), "set(2)");
}

TEST(Set, FollowsAModelThroughRandomChanges) {
  std::mt19937 random(7);
  Value set = new_set();
  std::vector<int64_t> model;
  for (int i = 0; i < 30'000; ++i) {
    int64_t number = random() % 300;
    auto at = std::find(model.begin(), model.end(), number);
    if (random() % 2) {
      if (at == model.end()) model.push_back(number);
      set_insert(set, I(number));
    } else {
      if (at != model.end()) model.erase(at);
      set_erase(set, I(number));
    }
    ASSERT_EQ(set.as_set()->size, model.size());
    ASSERT_EQ(set.as_set()->contains(I(number)), std::find(model.begin(), model.end(), number) != model.end());
  }
  size_t i = 0;
  for (const Value& item : set.as_set()->values()) EXPECT_EQ(item.as_int(), model[i++]);
}

TEST(Set, AShareKeepsItsItemsWhileTheOtherLosesItsOwn) {
  Value set = new_set();
  for (int i = 0; i < 100; ++i) set_insert(set, I(i));
  for (int i = 0; i < 30; ++i) set_erase(set, I(i));
  Value share = set;  // a copy of a set with holes
  set_insert(set, I(500));
  set_erase(share, I(31));
  EXPECT_EQ(share.as_set()->size, 69u);
  EXPECT_EQ(set.as_set()->size, 71u);
  EXPECT_FALSE(share.as_set()->contains(I(31)));
  EXPECT_TRUE(set.as_set()->contains(I(31)));
  EXPECT_EQ((*share.as_set()->values().begin()).as_int(), 30);
}

TEST(Set, NoMoreThanHalfOfThePlacesAreHoles) {
  Value set = new_set();
  for (int i = 0; i < 1000; ++i) set_insert(set, I(i));
  for (int i = 0; i < 990; ++i) {
    set_erase(set, I(i));
    ASSERT_LE(set.as_set()->used, std::max(33u, 2 * set.as_set()->size + 1));
    ASSERT_EQ(set.as_set()->items[set.as_set()->first].as_int(), i + 1);
  }
}

TEST(Set, HoldsStructuresByContent) {
  Value set = set_of({L({I(1)}), D({{"a", I(1)}}), set_of({I(1), I(2)})});
  EXPECT_TRUE(set.as_set()->contains(L({I(1)})));
  EXPECT_TRUE(set.as_set()->contains(new_range(1, 1)));
  EXPECT_TRUE(set.as_set()->contains(set_of({I(2), I(1)})));
  EXPECT_FALSE(set.as_set()->contains(L({F(1)})));
}

TEST(Set, NanIsOneElement) { EXPECT_EQ(set_of({F(NAN), F(NAN)}).as_set()->size, 1u); }

TEST(Set, DeepSetsOfSetsDoNotCrash) {
  auto nest = [] {
    Value value = set_of({});
    for (int i = 0; i < 100'000; ++i) value = set_of({value});
    return value;
  };
  Value a = nest(), b = nest();
  equal(a, b);
  hash(a);
  EXPECT_TRUE(equal(set_of({set_of({I(1)})}), set_of({set_of({I(1)})})));
}

}  // namespace
}  // namespace harn::vm
