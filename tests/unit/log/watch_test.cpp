#include <future>
#include <thread>

#include "backends.h"

namespace harn::log {
namespace {

using WatchTest = OnEveryBackend;
INSTANTIATE_TEST_SUITE_P(All, WatchTest, testing::ValuesIn(backends()),
                         [](const auto& info) { return info.param.name; });

// Told once; the test fails instead of hanging when it is not.
class Told {
 public:
  std::function<void()> tell() {
    return [promise = promise_] { promise->set_value(); };
  }
  bool is_told() { return future_.wait_for(std::chrono::seconds(10)) == std::future_status::ready; }
  bool is_told_now() { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

 private:
  std::shared_ptr<std::promise<void>> promise_ = std::make_shared<std::promise<void>>();
  std::future<void> future_ = promise_->get_future();
};

TEST_P(WatchTest, TellsOfAnAppend) {
  Told told, other;
  log->watch("a", 0, told.tell());
  log->watch("b", 0, other.tell());
  append("a", "one");
  EXPECT_TRUE(told.is_told());
  append("a", "two");  // nobody is told twice
  EXPECT_FALSE(other.is_told_now());
}

TEST_P(WatchTest, TellsOfWhatIsThere) {
  append("a", "one");
  Told told;
  log->watch("a", 0, told.tell());
  EXPECT_TRUE(told.is_told());
}

TEST_P(WatchTest, WaitsForWhatIsBehindTheOffset) {
  append("a", "one");
  Told told;
  log->watch("a", 2, told.tell());
  append("a", "two");
  EXPECT_FALSE(told.is_told_now());
  append("a", "three");
  EXPECT_TRUE(told.is_told());
}

TEST_P(WatchTest, IsQuietAfterUnwatch) {
  Told told, other;
  auto watch = log->watch("a", 0, told.tell());
  log->watch("a", 0, other.tell());
  log->unwatch(watch);
  log->unwatch(watch);
  append("a", "one");
  EXPECT_TRUE(other.is_told());
  EXPECT_FALSE(told.is_told_now());
}

TEST_P(WatchTest, NothingIsMissedBetweenReadingAndWatching) {
  constexpr uint64_t kMany = 300;
  std::thread writer([&] {
    for (uint64_t i = 0; i < kMany; ++i) append("a", "x");
  });
  uint64_t seen = 0;
  while (seen < kMany) {
    auto events = read({.topic = "a", .after = seen});
    for (const Event& event : events) ASSERT_EQ(event.id, ++seen);
    if (!events.empty()) continue;
    Told told;
    log->watch("a", seen, told.tell());
    ASSERT_TRUE(told.is_told());
  }
  writer.join();
}

}  // namespace
}  // namespace harn::log
