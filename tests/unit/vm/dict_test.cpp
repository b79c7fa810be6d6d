#include "vm/dict.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "make_values.h"

namespace harn::vm {
namespace {

using Model = std::map<std::string, int64_t>;

void expect_same(const Value& dict, const Model& model) {
  ASSERT_EQ(dict.as_dict()->size(), model.size());
  auto expected = model.begin();
  for (auto [key, value] : dict.as_dict()->entries()) {
    ASSERT_EQ(key->view(), expected->first);
    ASSERT_EQ(value->as_int(), expected->second);
    ++expected;
  }
}

TEST(Dict, DictsWithTheSameKeysShareAShape) {
  Value a = D({{"x", I(1)}, {"y", I(2)}});
  Value b = D({{"x", I(3)}, {"y", I(4)}});
  ASSERT_NE(a.as_dict()->shape, nullptr);
  EXPECT_EQ(a.as_dict()->shape, b.as_dict()->shape);
}

TEST(Dict, KeysComeInAscendingOrder) {
  EXPECT_EQ(display(D({{"b", I(1)}, {"a", I(2)}, {"c", I(3)}, {"A", I(4)}})), "{A: 4, a: 2, b: 1, c: 3}");
}

TEST(Dict, CopiesOnWriteWhenShared) {
  Value a = D({{"x", I(1)}});
  Value b = a;
  dict_set(a, "x", I(2));
  dict_set(b, "y", I(3));
  EXPECT_EQ(display(a), "{x: 2}");
  EXPECT_EQ(display(b), "{x: 1, y: 3}");
  Value c = b;
  dict_erase(c, "x");
  EXPECT_EQ(display(b), "{x: 1, y: 3}");
  EXPECT_EQ(display(c), "{y: 3}");
}

TEST(Dict, SlotPointsIntoAUniqueDict) {
  Value a = D({{"x", I(1)}});
  Value b = a;
  *dict_slot(a, intern("x")) = I(5);
  EXPECT_EQ(dict_slot(a, intern("nope")), nullptr);
  EXPECT_EQ(display(a), "{x: 5}");
  EXPECT_EQ(display(b), "{x: 1}");
}

TEST(Dict, TurnsIntoAHashTableWithUnpredictableKeys) {
  Value dict = new_dict();
  for (int i = 0; i < 40; ++i) dict_set(dict, "unpredictable" + std::to_string(i), I(i));
  EXPECT_EQ(dict.as_dict()->shape, nullptr);
  EXPECT_EQ(dict.as_dict()->find("unpredictable39")->as_int(), 39);
}

TEST(Dict, KeepsItsShapeWithManyNamedKeys) {
  Value dict = new_dict();
  for (int i = 0; i < 40; ++i) dict_set(dict, intern("field" + std::to_string(i)), I(i));
  ASSERT_NE(dict.as_dict()->shape, nullptr);
  for (int i = 0; i < 40; ++i) {
    std::string name = "field" + std::to_string(i);
    EXPECT_EQ(dict.as_dict()->find(name)->as_int(), i);
    EXPECT_EQ(dict.as_dict()->find(intern(name))->as_int(), i);
    EXPECT_EQ(dict.as_dict()->find(new_string(name).get())->as_int(), i);
  }
  EXPECT_EQ(dict.as_dict()->find("field40"), nullptr);
  EXPECT_EQ(dict.as_dict()->find(intern("field40")), nullptr);
}

class RandomDict : public testing::TestWithParam<int> {};

TEST_P(RandomDict, FollowsAModel) {
  int keys = GetParam();
  std::mt19937 random(static_cast<unsigned>(keys));
  Value dict = new_dict();
  Model model;
  Value snapshot;
  Model snapshot_model;
  for (int i = 0; i < 20'000; ++i) {
    std::string key = "k" + std::to_string(random() % static_cast<unsigned>(keys));
    switch (random() % 8) {
      case 0:
      case 1:
        dict_erase(dict, key);
        model.erase(key);
        break;
      case 2: {
        auto found = model.find(key);
        const Value* value = dict.as_dict()->find(key);
        ASSERT_EQ(value != nullptr, found != model.end());
        if (value) {
          ASSERT_EQ(value->as_int(), found->second);
        }
        break;
      }
      case 3:
        dict_set(dict, new_string(key).get(), I(i));
        model[key] = i;
        break;
      case 4:
        if (random() % 20 == 0) {
          snapshot = dict;
          snapshot_model = model;
        }
        break;
      default: dict_set(dict, key, I(i)); model[key] = i;
    }
    if (i % 97 == 0) expect_same(dict, model);
    if (i % 501 == 0 && snapshot.is_dict()) expect_same(snapshot, snapshot_model);
  }
  expect_same(dict, model);
}
INSTANTIATE_TEST_SUITE_P(Sizes, RandomDict, testing::Values(3, 8, 20, 70, 1000));

TEST(Dict, UnpredictableShapesStopGrowing) {
  for (int i = 0; i < 200'000; ++i) {
    Value dict = new_dict();
    dict_set(dict, "first" + std::to_string(i), I(1));
    dict_set(dict, "second" + std::to_string(i), I(2));
    ASSERT_EQ(dict.as_dict()->size(), 2u);
  }
  EXPECT_EQ(find_interned("first199999"), nullptr);
}

TEST(Dict, MergeLetsTheRightSideWin) {
  Value a = D({{"x", I(1)}, {"y", I(2)}});
  Value b = D({{"y", I(3)}, {"z", I(4)}});
  dict_merge(a, b.as_dict());
  EXPECT_EQ(display(a), "{x: 1, y: 3, z: 4}");
  Value empty = new_dict();
  dict_merge(empty, b.as_dict());
  EXPECT_EQ(empty.object(), b.object());
}

TEST(Struct, InstancesKnowTheirType) {
  StringObject* fields[] = {intern("y"), intern("x")};
  auto type = new_struct_type("Point", fields);
  Value point = new_struct(type.get());
  EXPECT_TRUE(point.is(Kind::Struct));
  dict_set(point, "x", I(3));
  dict_set(point, "y", I(4));
  EXPECT_EQ(display(point), "Point {x: 3, y: 4}");
  EXPECT_EQ(struct_type(point.as_dict()), type.get());
  Value copy = point;
  dict_set(copy, "x", I(5));
  EXPECT_EQ(display(point), "Point {x: 3, y: 4}");
  for (int i = 0; i < 100; ++i) dict_set(copy, "extra" + std::to_string(i), I(i));
  EXPECT_TRUE(copy.is(Kind::Struct));
  EXPECT_EQ(struct_type(copy.as_dict()), type.get());
  EXPECT_EQ(copy.as_dict()->size(), 102u);
  dict_erase(point, "x");
  EXPECT_EQ(display(point), "Point {y: 4}");
}

TEST(Struct, MethodsAreFoundByName) {
  auto type = new_struct_type("T", {});
  add_method(type.get(), intern("a"), I(1));
  add_method(type.get(), intern("b"), I(2));
  add_method(type.get(), intern("a"), I(3));
  EXPECT_EQ(type->find_method(intern("a"))->as_int(), 3);
  EXPECT_EQ(type->find_method(intern("b"))->as_int(), 2);
  EXPECT_EQ(type->find_method(intern("c")), nullptr);
}

TEST(Struct, InstanceKeepsItsTypeAlive) {
  StringObject* fields[] = {intern("x")};
  Value point = new_struct(new_struct_type("Lonely", fields).get());
  EXPECT_EQ(display(point), "Lonely {x: nil}");
}

TEST(Struct, ManyFields) {
  std::vector<StringObject*> fields;
  for (int i = 0; i < 400; ++i) fields.push_back(intern("f" + std::to_string(i)));
  auto type = new_struct_type("Wide", fields);
  Value wide = new_struct(type.get());
  dict_set(wide, "f399", I(1));
  EXPECT_EQ(wide.as_dict()->find("f399")->as_int(), 1);
  EXPECT_EQ(wide.as_dict()->size(), 400u);
}

}  // namespace
}  // namespace harn::vm
