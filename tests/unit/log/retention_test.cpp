#include "backends.h"

namespace harn::log {
namespace {

using RetentionTest = OnEveryBackend;
INSTANTIATE_TEST_SUITE_P(All, RetentionTest, testing::ValuesIn(backends()),
                         [](const auto& info) { return info.param.name; });

TEST_P(RetentionTest, ByCount) {
  for (int i = 1; i <= 5; ++i) append("a", std::to_string(i));
  EXPECT_EQ(retain_now(*log, "a", {.max_count = 3}, 0).value(), 2u);
  EXPECT_EQ(shown({.topic = "a"}), "3:3 4:4 5:5");
  append("a", "6");
  EXPECT_EQ(shown({.topic = "a"}), "4:4 5:5 6:6");
  append("b", "not this one");
  EXPECT_EQ(log->topics()->front().first, 4u);
}

TEST_P(RetentionTest, ByBytes) {
  ASSERT_TRUE(retain_now(*log, "a", {.max_bytes = 10}, 0));
  for (const char* text : {"123", "456", "789"}) append("a", text);  // and a byte each for the kind
  EXPECT_EQ(shown({.topic = "a"}), "2:456 3:789");
  append("a", "much larger than ten bytes");
  EXPECT_EQ(shown({.topic = "a"}), "4:much larger than ten bytes") << "the newest is always kept";
  EXPECT_EQ(log->topics()->front().bytes, 27u);
}

TEST_P(RetentionTest, ByAge) {
  append("a", "old", 1000);
  append("a", "young", 5000);
  EXPECT_EQ(retain_now(*log, "a", {.max_age_ms = 3000}, 4000).value(), 0u);
  append("a", "now", 6000);
  EXPECT_EQ(shown({.topic = "a"}), "2:young 3:now");
  EXPECT_EQ(retain_now(*log, "a", {.max_age_ms = 3000}, 100'000).value(), 1u);
  EXPECT_EQ(shown({.topic = "a"}), "3:now");
}

TEST_P(RetentionTest, NumbersAndKeysOfWhatIsGone) {
  NewEvent event{.topic = "a", .kind = "k", .payload = "1", .headers = "", .key = "x"};
  append(event);
  ASSERT_TRUE(retain_now(*log, "a", {.max_count = 1}, 0));
  append("a", "2");
  EXPECT_EQ(append(event).id, 3u) << "a key that is gone can be used again, a number cannot";
  EXPECT_EQ(shown({.topic = "a", .after = 0}), "3:1");
  EXPECT_EQ(log->latest("a").value(), 3u);
}

TEST_P(RetentionTest, CanBeLifted) {
  ASSERT_TRUE(retain_now(*log, "a", {.max_count = 1}, 0));
  ASSERT_TRUE(retain_now(*log, "a", {}, 0));
  append("a", "1");
  append("a", "2");
  EXPECT_EQ(shown({.topic = "a"}), "1:1 2:2");
}

}  // namespace
}  // namespace harn::log
