#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "all_families.h"
#include "builtins/registry.h"

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
  std::map<std::tuple<std::string_view, int, const void*>, int> seen;
  for (const Builtin* row : table().rows()) {
    if (row->receiver == 0) {
      EXPECT_EQ(++seen[std::tuple(row->name, -1, nullptr)], 1) << row->name;
    }
    for (int kind = 0; kind < static_cast<int>(Kind::Count); ++kind) {
      if (!(row->receiver & vm::on(static_cast<Kind>(kind)))) continue;
      EXPECT_EQ(++seen[std::tuple(row->name, kind, row->handle)], 1) << row->name << " on kind " << kind;
    }
    EXPECT_EQ((row->receiver & vm::on(Kind::Handle)) != 0, row->handle != nullptr) << row->name;
  }
}

// A property is read without a call, so nothing can be waited for or handed over.
TEST(AllRows, PropertiesAreMethodsThatNeedNothing) {
  for (const Family& family : core_families()) {
    for (const Builtin& row : family.rows) {
      if (!has(row.flags, vm::BuiltinFlags::Property)) continue;
      EXPECT_NE(row.receiver, 0u) << row.name;
      EXPECT_NE(row.call, nullptr) << row.name;
      EXPECT_TRUE(row.signature.takes(0)) << row.name;
    }
  }
}

}  // namespace
}  // namespace harn::builtins
