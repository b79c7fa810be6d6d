#include "builtins/path_text.h"

#include <gtest/gtest.h>

namespace harn::builtins {
namespace {

TEST(PathText, Normalizes) {
  EXPECT_EQ(normalize(""), "");
  EXPECT_EQ(normalize("a/./b/../c/"), "a/c");
  EXPECT_EQ(normalize("a/.."), ".");
  EXPECT_EQ(normalize("../../a"), "../../a");
  EXPECT_EQ(normalize("/../a"), "/a");
  EXPECT_EQ(normalize("/"), "/");
  EXPECT_EQ(normalize("C:/a/../b"), "C:/b");
}

std::string way(std::string_view path, std::string_view base) {
  std::string out;
  return relative_to(normalize(path), normalize(base), out) ? out : "none";
}

TEST(PathText, FindsTheWay) {
  EXPECT_EQ(way("/a/b", "/a"), "b");
  EXPECT_EQ(way("/a", "/a/b/c"), "../..");
  EXPECT_EQ(way("a", "a"), ".");
  EXPECT_EQ(way("a", "."), "a");
  EXPECT_EQ(way(".", "a"), "..");
  EXPECT_EQ(way("/a", "a"), "none");
  EXPECT_EQ(way("a", "../b"), "none");
}

TEST(PathText, KnowsRoots) {
  EXPECT_TRUE(is_absolute("/a"));
  EXPECT_TRUE(is_absolute("C:/a"));
  EXPECT_FALSE(is_absolute("C:a"));
  EXPECT_FALSE(is_absolute(""));
}

}  // namespace
}  // namespace harn::builtins
