#include <gtest/gtest.h>

#include "vm/builtin.h"

namespace harn::vm {
namespace {

void expect_arity(std::string_view signature, int least, int most) {
  const Builtin rows[] = {{.name = "f", .signature = signature}};
  const std::span<const Builtin> families[] = {rows};
  BuiltinTable table(families);
  EXPECT_EQ(rows[0].min_args, least) << signature;
  EXPECT_EQ(rows[0].max_args, most) << signature;
}

TEST(BuiltinTable, DerivesTheArity) {
  expect_arity("() -> nil", 0, 0);
  expect_arity("(a: int) -> nil", 1, 1);
  expect_arity("(a: int, b?: int) -> nil", 1, 2);
  expect_arity("(a: int = 3) -> nil", 0, 1);
  expect_arity("(...rest: any) -> nil", 0, UINT32_MAX);
  expect_arity("(a: dict<string, int>, f: fn(int, string) -> bool) -> list<int>", 2, 2);
  expect_arity("(a: {x?: int, y: [int, int]}, b?: any) -> nil", 1, 2);
  expect_arity("(a: string?, b: int) -> nil", 2, 2);
  expect_arity("(f: fn(...any) -> any) -> nil", 1, 1);
}

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
  EXPECT_EQ(table.find_method(Kind::Set, "push"), &rows[1]);
  EXPECT_EQ(table.find_method(Kind::Dict, "push"), nullptr);
  EXPECT_EQ(table.find("nope"), nullptr);
  EXPECT_EQ(table.rows()[0], &rows[3]);
  EXPECT_EQ(table.rows().size(), 4u);
}

}  // namespace
}  // namespace harn::vm
