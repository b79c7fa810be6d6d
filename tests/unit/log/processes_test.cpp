// Several processes and one file.
#include <chrono>
#include <future>
#include <map>

#include "backends.h"
#include "processes.h"

namespace harn::log {
namespace {

// Appends and leaves; a failure is the process's own.
void write_some(const Backend& backend, const Folder& folder, const std::string& name, int count) {
  auto log = backend.open(folder);
  if (!log) _exit(1);
  for (int i = 0; i < count; ++i) {
    if (!append_now(**log, {.topic = "a", .kind = name, .payload = std::to_string(i), .headers = ""})) _exit(2);
  }
  log->reset();
}

using Processes = testing::TestWithParam<Backend>;
INSTANTIATE_TEST_SUITE_P(All, Processes, testing::ValuesIn(lasting_backends()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Processes, WriteTogetherAndLoseNothing) {
  Folder folder;
  constexpr int kProcesses = 4, kEach = 40;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(start_process([&] { write_some(GetParam(), folder, "writer" + std::to_string(i), kEach); }));
  }
  for (pid_t child : children) EXPECT_EQ(wait_for(child), 0);

  auto log = GetParam().open(folder).value();
  std::map<std::string, int> next;
  uint64_t id = 0;
  auto events = log->read({.topic = "a"}).value();
  for (const Event& event : events) {
    EXPECT_EQ(event.id, ++id);
    EXPECT_EQ(event.payload, std::to_string(next[event.kind]++)) << "in the order of its writer";
  }
  EXPECT_EQ(id, uint64_t{kProcesses * kEach});
}

TEST_P(Processes, TakeTurns) {
  // A process that writes without a pause must not keep another one out: that one appends while the first goes on.
  Folder folder;
  write_some(GetParam(), folder, "start", 1);
  pid_t greedy = start_process([&] { write_some(GetParam(), folder, "greedy", 1'000'000); });
  pid_t modest = start_process([&] { write_some(GetParam(), folder, "modest", 20); });
  EXPECT_EQ(wait_for(modest), 0);
  kill(greedy, SIGKILL);
  wait_for(greedy);
  auto events = GetParam().open(folder).value()->read({.topic = "a", .most = 1'000'000}).value();
  std::map<std::string, int> counts;
  for (const Event& event : events) ++counts[event.kind];
  EXPECT_EQ(counts["modest"], 20);
  EXPECT_LT(counts["greedy"], 200) << "about as many turns, not all of them";
}

TEST_P(Processes, SeeEachOthersEventsSoon) {
  Folder folder;
  int start[2];
  ASSERT_EQ(pipe(start), 0);
  pid_t child = start_process([&] {
    auto log = GetParam().open(folder).value();
    char byte;
    if (::read(start[0], &byte, 1) != 1) _exit(3);
    if (!append_now(*log, {.topic = "a", .kind = "k", .payload = "", .headers = ""})) _exit(2);
    log.reset();
  });
  auto log = GetParam().open(folder).value();
  std::promise<void> told;
  log->watch("a", 0, [&] { told.set_value(); });
  auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(::write(start[1], "x", 1), 1);
  ASSERT_EQ(told.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  RecordProperty("noticed_after_ms", static_cast<int>(took.count()));
  EXPECT_LT(took.count(), 1000) << "20 ms between two looks, and what the disk and the other process need";
  EXPECT_EQ(wait_for(child), 0);
}

}  // namespace
}  // namespace harn::log
