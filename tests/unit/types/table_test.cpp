#include "types/table.h"

#include <gtest/gtest.h>

#include "types/print.h"

namespace harn::types {
namespace {

class Table : public testing::Test {
 protected:
  const Type* of(Kind kind) { return table.named(kind); }
  const Type* list(const Type* item) { return table.named(Kind::List, {item}); }

  TypeTable table;
  const Type* int_ = table.named(Kind::Int);
  const Type* string_ = table.named(Kind::String);
  const Type* nil_ = table.named(Kind::Nil);
};

TEST_F(Table, TypesThatAreWrittenAlikeAreOne) {
  EXPECT_EQ(list(int_), list(int_));
  EXPECT_NE(list(int_), list(string_));
  EXPECT_EQ(table.literal("a"), table.literal("a"));
  EXPECT_NE(table.literal("1"), table.literal(int64_t{1}));
  Field fields[] = {{"a", int_}, {"b", string_, true}};
  EXPECT_EQ(table.shape(fields), table.shape(fields));
  EXPECT_EQ(table.unite({int_, string_}), table.unite({int_, string_}));
}

TEST_F(Table, TypesThatAreWrittenDifferentlyMayBeTheSame) {
  EXPECT_TRUE(same_type(table.unite({int_, string_}), table.unite({string_, int_})));
  EXPECT_TRUE(same_type(list(table.unite({int_, string_})), list(table.unite({string_, int_}))));
  EXPECT_TRUE(same_type(of(Kind::List), list(of(Kind::Any))));
  Field one[] = {{"a", int_}, {"b", string_}};
  Field other[] = {{"b", string_}, {"a", int_}};
  EXPECT_TRUE(same_type(table.shape(one), table.shape(other)));
  EXPECT_FALSE(same_type(table.shape(one), table.shape(std::span(one, 1))));
  types::Parameter x[] = {{.name = "x", .type = int_}};
  types::Parameter y[] = {{.name = "y", .type = int_}};
  EXPECT_TRUE(same_type(table.function(x, nil_), table.function(y, nil_)));
}

TEST_F(Table, UnionsAreInNormalForm) {
  EXPECT_EQ(table.unite({int_}), int_);
  EXPECT_EQ(table.unite({}), of(Kind::Never));
  EXPECT_EQ(table.unite({of(Kind::Never), string_}), string_);
  EXPECT_EQ(table.unite({int_, int_}), int_);
  EXPECT_EQ(table.unite({int_, table.unite({string_, int_})}), table.unite({int_, string_}));
  EXPECT_EQ(table.unite({int_, of(Kind::Any)}), of(Kind::Any));
  EXPECT_EQ(table.unite({of(Kind::Unknown), int_}), of(Kind::Unknown));
  EXPECT_EQ(table.optional(table.optional(int_)), table.optional(int_));
}

TEST_F(Table, ParametersGiveWayToTypes) {
  const Type* t = table.parameter("T");
  const Type* u = table.parameter("U");
  const Type* shape;
  {
    Field fields[] = {{"item", t}, {"more", list(u), true}};
    shape = table.shape(fields);
  }
  Binding bindings[] = {{t, int_}, {u, string_}};
  EXPECT_EQ(print(table.substitute(shape, bindings)), "{item: int, more?: list<string>}");
  EXPECT_EQ(table.substitute(table.unite({t, int_}), bindings), int_);
  EXPECT_EQ(table.substitute(list(int_), bindings), list(int_));
  EXPECT_EQ(table.substitute(t, std::span(bindings).subspan(1)), t);
}

TEST_F(Table, ShapesMergeToTheRight) {
  Field left[] = {{"a", int_}, {"b", int_}};
  Field right[] = {{"b", string_}, {"c", nil_}};
  Field maybe[] = {{"b", string_, true}};
  const Type* tails[] = {table.shape(right)};
  EXPECT_EQ(print(table.shape(left, tails)), "{a: int, b: string, c: nil}");
  const Type* optional[] = {table.shape(maybe)};
  EXPECT_EQ(print(table.shape(left, optional)), "{a: int, b: int | string}");
  const Type* row = table.parameter("R");
  EXPECT_EQ(print(table.shape(left, std::span(&row, 1))), "{a: int, b: int, ...R}");
  Binding bindings[] = {{row, table.shape(right)}};
  EXPECT_EQ(print(table.substitute(table.shape(left, std::span(&row, 1)), bindings)), "{a: int, b: string, c: nil}");
}

TEST_F(Table, ParametersOfDifferentOwnersAreDifferent) {
  syntax::Node* owner = reinterpret_cast<syntax::Node*>(this);
  EXPECT_NE(table.parameter("T"), table.parameter("T", owner));
  EXPECT_EQ(table.parameter("T", owner), table.parameter("T", owner));
}

TEST_F(Table, NothingIsMadeBeforeItIsAskedFor) { EXPECT_EQ(TypeTable().size(), 0u); }

}  // namespace
}  // namespace harn::types
