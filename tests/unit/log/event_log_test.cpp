// What every backend must do.
#include <atomic>
#include <set>
#include <thread>

#include "backends.h"

namespace harn::log {
namespace {

using EventLogTest = OnEveryBackend;
INSTANTIATE_TEST_SUITE_P(All, EventLogTest, testing::ValuesIn(backends()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EventLogTest, NumbersTheEventsOfATopic) {
  EXPECT_EQ(append("a", "one"), 1u);
  EXPECT_EQ(append("b", "other"), 1u);
  EXPECT_EQ(append("a", "two"), 2u);
  EXPECT_EQ(shown({.topic = "a"}), "1:one 2:two");
  EXPECT_EQ(shown({.topic = "b"}), "1:other");
  EXPECT_EQ(shown({.topic = "c"}), "");
}

TEST_P(EventLogTest, KeepsEverythingOfAnEvent) {
  std::string bytes("\0\xff quote ' \n", 12);
  append({.topic = "a", .kind = "kind", .payload = bytes, .headers = "h", .at_ms = 1234567890123, .key = "key"});
  auto events = read({.topic = "a"});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "kind");
  EXPECT_EQ(events[0].payload, bytes);
  EXPECT_EQ(events[0].headers, "h");
  EXPECT_EQ(events[0].key, "key");
  EXPECT_EQ(events[0].at_ms, 1234567890123);
}

TEST_P(EventLogTest, ReadsBehindAnOffset) {
  for (const char* text : {"one", "two", "three", "four"}) append("a", text);
  EXPECT_EQ(shown({.topic = "a", .after = 2}), "3:three 4:four");
  EXPECT_EQ(shown({.topic = "a", .after = 1, .most = 2}), "2:two 3:three");
  EXPECT_EQ(shown({.topic = "a", .after = 4}), "");
  EXPECT_EQ(shown({.topic = "a", .after = UINT64_MAX - 1}), "");
  EXPECT_EQ(shown({.topic = "a", .most_bytes = 1}), "1:one") << "one at least";
  EXPECT_EQ(shown({.topic = "a", .most_bytes = 6}), "1:one 2:two");
}

TEST_P(EventLogTest, KnowsTheLatest) {
  EXPECT_EQ(log->latest("a").value(), 0u);
  append("a", "one");
  append("a", "two");
  EXPECT_EQ(log->latest("a").value(), 2u);
  EXPECT_EQ(log->latest("b").value(), 0u);
}

TEST_P(EventLogTest, AppendsAKeyOnce) {
  NewEvent event{.topic = "a", .kind = "k", .payload = "first", .headers = "", .key = "x"};
  EXPECT_EQ(append(event).how, Appended::How::New);
  append("a", "between");
  event.payload = "second";
  Appended again = append(event);
  EXPECT_EQ(again.how, Appended::How::Known);
  EXPECT_EQ(again.id, 1u);
  event.topic = "b";
  EXPECT_EQ(append(event).how, Appended::How::New) << "keys are those of a topic";
  EXPECT_EQ(shown({.topic = "a"}), "1:first 2:between");
}

TEST_P(EventLogTest, ComparesAndAppends) {
  NewEvent event{.topic = "a", .kind = "k", .payload = "x", .headers = "", .expected_last = 1};
  Appended early = append(event);
  EXPECT_EQ(early.how, Appended::How::Conflict);
  EXPECT_EQ(early.id, 0u);
  event.expected_last = 0;
  EXPECT_EQ(append(event).how, Appended::How::New);
  Appended late = append(event);
  EXPECT_EQ(late.how, Appended::How::Conflict);
  EXPECT_EQ(late.id, 1u);
  EXPECT_EQ(shown({.topic = "a"}), "1:x");
}

TEST_P(EventLogTest, RefusesWhatIsTooLarge) {
  auto appended =
      append_now(*log, {.topic = "a", .kind = "", .payload = std::string(kMostEventBytes + 1, 'x'), .headers = ""});
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().kind, ErrorKind::Limit);
  EXPECT_EQ(log->latest("a").value(), 0u);
}

TEST_P(EventLogTest, OneOfManyWinsAComparison) {
  for (uint64_t round = 0; round < 20; ++round) {
    std::atomic<int> won = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        won += append({.topic = "a", .kind = "k", .payload = "", .headers = "", .expected_last = round}).how ==
               Appended::How::New;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
  }
}

TEST_P(EventLogTest, ManyThreadsShareATopic) {
  constexpr int kThreads = 8, kEach = 100;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i] {
      uint64_t before = 0;
      for (int n = 0; n < kEach; ++n) {
        uint64_t id = append("a", std::to_string(i * kEach + n));
        EXPECT_GT(id, before);
        before = id;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::string> payloads;
  uint64_t id = 0;
  for (const Event& event : read({.topic = "a", .most = 10'000})) {
    EXPECT_EQ(event.id, ++id);
    payloads.insert(event.payload);
  }
  EXPECT_EQ(payloads.size(), size_t{kThreads * kEach});
}

TEST_P(EventLogTest, ListsTopics) {
  append("b", "12");
  append("a", "1");
  append("a", "22");
  EXPECT_EQ(append({.topic = "c", .kind = "", .payload = "", .headers = "", .expected_last = 9}).how,
            Appended::How::Conflict);
  auto topics = log->topics().value();
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].name, "a");
  EXPECT_EQ(topics[0].last, 2u);
  EXPECT_EQ(topics[0].bytes, 5u);  // with the kinds
  EXPECT_EQ(topics[1].name, "b");
}

TEST_P(EventLogTest, LastsWhenItSaysSo) {
  append("a", "one");
  append({.topic = "a", .kind = "k", .payload = "two", .headers = "", .key = "x"});
  ASSERT_TRUE(retain_now(*log, "b", {.max_count = 7}, 0));
  log.reset();
  log = open();
  bool lasts = GetParam().lasts;
  EXPECT_EQ(shown({.topic = "a"}), lasts ? "1:one 2:two" : "");
  Appended again = append({.topic = "a", .kind = "k", .payload = "", .headers = "", .key = "x"});
  EXPECT_EQ(again.how, lasts ? Appended::How::Known : Appended::How::New);
  EXPECT_EQ(log->topics()->back().name, lasts ? "b" : "a");
}

}  // namespace
}  // namespace harn::log
