#include <gtest/gtest.h>

#include "vm/builtin.h"

namespace harn::vm {
namespace {

TEST(BuiltinTable, FindsFunctionsAndMethods) {
  const Builtin rows[] = {
      {.name = "push", .receiver = on(Kind::List), .signature = "(item: any) -> list"},
      {.name = "push", .receiver = on(Kind::Set), .signature = "(item: any) -> set"},
      {.name = "push", .signature = "(list: list, item: any) -> list"},
      {.name = "abs", .signature = "(n: number) -> number"},
  };
  const std::span<const Builtin> families[] = {rows};
  BuiltinTable table(families);
  EXPECT_EQ(table.find("push"), &rows[2]);
  EXPECT_EQ(table.find_method(Value(new_set()), "push"), &rows[1]);
  EXPECT_EQ(table.find_method(new_dict(), "push"), nullptr);
  EXPECT_EQ(table.find("nope"), nullptr);
  EXPECT_EQ(table.by_id()[*table.find_id("abs")], &rows[3]);
  EXPECT_EQ(table.find_id("nope"), std::nullopt);
  EXPECT_EQ(table.rows()[0], &rows[3]);
  EXPECT_EQ(table.rows().size(), 4u);
}

TEST(BuiltinTable, FindsPropertiesOfTheirKind) {
  const Builtin rows[] = {
      {.name = "count", .receiver = on(Kind::Iter), .signature = "() -> int"},
      {.name = "count",
       .receiver = on(Kind::List, Kind::Range),
       .signature = "() -> int",
       .flags = BuiltinFlags::Property},
  };
  const std::span<const Builtin> families[] = {rows};
  BuiltinTable table(families);
  EXPECT_EQ(table.find_property(Value(new_range(0, 1)), "count"), &rows[1]);
  EXPECT_EQ(table.find_property(Value(new_iter(Value())), "count"), nullptr);
  EXPECT_EQ(table.find_property(Value(new_list()), "other"), nullptr);
}

}  // namespace
}  // namespace harn::vm
