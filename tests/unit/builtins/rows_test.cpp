#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "all_families.h"

namespace harn::builtins {
namespace {

using vm::Builtin;
using vm::Kind;

class Rows : public testing::TestWithParam<Family> {};

TEST_P(Rows, AreSortedByName) {
  std::string_view before;
  for (const Builtin& row : GetParam().rows) {
    EXPECT_LE(before, row.name);
    before = row.name;
  }
}

TEST_P(Rows, SayWhatTheyAre) {
  for (const Builtin& row : GetParam().rows) {
    EXPECT_TRUE(row.signature.starts_with('(')) << row.name;
    EXPECT_TRUE(row.signature.contains(") -> ")) << row.name;
    EXPECT_TRUE(row.doc.ends_with('.')) << row.name;
    EXPECT_FALSE(row.example.empty()) << row.name;
  }
}

TEST_P(Rows, AreNativeOrPrelude) {
  for (const Builtin& row : GetParam().rows) {
    EXPECT_NE(row.call != nullptr, !row.prelude.empty()) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Rows, testing::ValuesIn(core_families()),
                         [](const auto& info) { return std::string(info.param.name); });

// A kind and a name lead to one row, whichever file it is in.
TEST(AllRows, HaveDifferentNames) {
  std::map<std::pair<std::string_view, int>, int> seen;
  for (const Family& family : core_families()) {
    for (const Builtin& row : family.rows) {
      if (row.receiver == 0) {
        EXPECT_EQ(++seen[std::pair(row.name, -1)], 1) << row.name;
      }
      for (int kind = 0; kind < static_cast<int>(Kind::Count); ++kind) {
        if (!(row.receiver & vm::on(static_cast<Kind>(kind)))) continue;
        EXPECT_EQ(++seen[std::pair(row.name, kind)], 1) << row.name << " on kind " << kind;
      }
    }
  }
}

TEST(AllRows, HaveARowForEveryProperty) {
  std::vector<std::span<const Builtin>> families;
  for (const Family& family : core_families()) families.push_back(family.rows);
  vm::BuiltinTable table(families);
  for (std::string_view name : {"count", "empty", "first", "last", "second", "variant", "fields"}) {
    for (int kind = 0; kind < static_cast<int>(Kind::Count); ++kind) {
      if (!is_property(static_cast<Kind>(kind), name)) continue;
      const Builtin* row = table.find_method(static_cast<Kind>(kind), name);
      ASSERT_NE(row, nullptr) << name << " on kind " << kind;
      EXPECT_EQ(row->min_args, 0) << name;
    }
  }
}

TEST(AllRows, KnowWhatIsAProperty) {
  EXPECT_TRUE(is_property(Kind::String, "count"));
  EXPECT_TRUE(is_property(Kind::Range, "last"));
  EXPECT_TRUE(is_property(Kind::Pair, "second"));
  EXPECT_FALSE(is_property(Kind::String, "trim"));
  EXPECT_FALSE(is_property(Kind::Iter, "count"));
}

TEST(AllRows, ArityComesFromTheSignature) {
  std::vector<std::span<const Builtin>> families;
  for (const Family& family : core_families()) families.push_back(family.rows);
  vm::BuiltinTable table(families);
  const Builtin* random_int = table.find("random_int");
  EXPECT_EQ(random_int->min_args, 2);
  EXPECT_EQ(random_int->max_args, 3);
  const Builtin* reduce = table.find_method(Kind::List, "reduce");
  EXPECT_EQ(reduce->min_args, 2);
  EXPECT_EQ(reduce->max_args, 2);
}

}  // namespace
}  // namespace harn::builtins
