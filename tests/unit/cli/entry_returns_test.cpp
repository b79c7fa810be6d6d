#include <gtest/gtest.h>

#include "cli/entry_returns.h"

#include "engine/sources.h"

namespace harn::cli {
namespace {

bool returns(std::string text) { return entry_returns(*engine::load_text("test", std::move(text))->main); }

TEST(EntryReturns, FindsReturnsOfTheEntryOnly) {
  EXPECT_TRUE(returns("return 1"));
  EXPECT_TRUE(returns("if true { return 1 } else { println(2) }"));
  EXPECT_TRUE(returns("if true { 1 } else if false { 2 } else { return 3 }"));
  EXPECT_TRUE(returns("for x in [1] { while true { return x } }"));
  EXPECT_TRUE(returns("try { 1 } catch (e) { return 2 }"));
  EXPECT_TRUE(returns("match 1 { 1 -> { return 2 } _ -> { 3 } }"));
  EXPECT_FALSE(returns("1 + 1"));
  EXPECT_FALSE(returns("fn f() { return 1 }\nf()"));
  EXPECT_FALSE(returns("let f = { x -> return x }\nf(1)"));
}

TEST(EntryReturns, LooksAtTheChosenPipeline) {
  EXPECT_TRUE(returns("pipeline a(task) { return 1 }"));
  EXPECT_FALSE(returns("pipeline a(task) { return 1 }\npipeline default(task) { 2 }"));
  EXPECT_FALSE(returns("pipeline a(task) { 1 }\npipeline b(task) { return 2 }"));
}

}  // namespace
}  // namespace harn::cli
