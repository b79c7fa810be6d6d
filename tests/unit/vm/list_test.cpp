#include <gtest/gtest.h>

#include "make_values.h"

namespace harn::vm {
namespace {

TEST(List, CopiesOnWriteWhenShared) {
  Value a = L({I(1), I(2)});
  Value b = a;
  writable_list(a)->push(I(3));
  EXPECT_EQ(display(a), "[1, 2, 3]");
  EXPECT_EQ(display(b), "[1, 2]");
}

TEST(List, ChangesInPlaceWhenUnique) {
  Value a = L({I(1)});
  ListObject* before = a.as_list();
  EXPECT_EQ(writable_list(a), before);
}

TEST(List, RangesReadLikeLists) {
  Value range = new_range(3, 3);
  EXPECT_EQ(list_size(range), 3u);
  EXPECT_EQ(list_item(range, 2).as_int(), 5);
  writable_list(range)->push(I(9));
  EXPECT_EQ(display(range), "[3, 4, 5, 9]");
}

TEST(Enum, ResultHoldsItsPayload) {
  Value ok = new_ok(S("yes"));
  EXPECT_TRUE(is_ok(ok));
  EXPECT_FALSE(is_err(ok));
  EXPECT_EQ(display(result_payload(ok)), "yes");
  EXPECT_FALSE(is_ok(I(1)));
}

TEST(Enum, PlainVariantsAreOneValue) {
  const EnumVariantInfo variants[] = {{intern("Red"), 0, false}, {intern("Rgb"), 3, true}};
  auto type = new_enum_type("Color", variants);
  EXPECT_EQ(display(type->plain[0]), "Color.Red");
  EXPECT_TRUE(type->plain[1].is(Kind::Unset));
  Value fields[] = {I(1), I(2), I(3)};
  EXPECT_EQ(display(new_enum(type.get(), 1, fields)), "Color.Rgb(1, 2, 3)");
  EXPECT_EQ(type->find(intern("Rgb")), 1);
  EXPECT_EQ(type->find(intern("Nope")), -1);
}

}  // namespace
}  // namespace harn::vm
