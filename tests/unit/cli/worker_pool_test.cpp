#include "cli/worker_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>

namespace harn::cli {
namespace {

using Lanes = std::vector<std::vector<uint32_t>>;

std::map<uint32_t, JobOutcome> run(const Lanes& lanes, const Job& job, PoolOptions options) {
  std::map<uint32_t, JobOutcome> out;
  auto done = run_jobs(lanes, job, options, [&](uint32_t number, JobOutcome outcome) {
    EXPECT_FALSE(out.contains(number));
    out[number] = std::move(outcome);
  });
  EXPECT_TRUE(done);
  return out;
}

TEST(WorkerPool, RunsEveryJobOnce) {
  Lanes lanes = {{0, 1}, {}, {2}, {3, 4, 5}};
  auto job = [](uint32_t number) { return std::string(number * 50'000, 'x'); };
  for (size_t workers : {1, 2, 8}) {
    auto out = run(lanes, job, {.workers = workers});
    ASSERT_EQ(out.size(), 6u);
    for (auto& [number, outcome] : out) {
      EXPECT_EQ(outcome.how, JobOutcome::How::Finished);
      EXPECT_EQ(outcome.payload.size(), number * 50'000);
    }
  }
}

TEST(WorkerPool, JobsOfALaneShareAChild) {
  auto job = [](uint32_t) { return std::to_string(getpid()); };
  auto out = run({{0, 1, 2}}, job, {});
  EXPECT_EQ(out[0].payload, out[2].payload);
  EXPECT_NE(out[0].payload, std::to_string(getpid()));
}

TEST(WorkerPool, ACrashTakesOneJob) {
  auto job = [](uint32_t number) -> std::string {
    if (number == 1) raise(SIGKILL);
    if (number == 2) _exit(3);
    return "fine";
  };
  auto out = run({{0, 1, 2, 3}}, job, {});
  EXPECT_EQ(out[0].payload, "fine");
  EXPECT_EQ(out[1].how, JobOutcome::How::Crashed);
  EXPECT_EQ(out[1].signal, SIGKILL);
  EXPECT_EQ(out[2].how, JobOutcome::How::Crashed);
  EXPECT_EQ(out[2].signal, 0);
  EXPECT_EQ(out[3].payload, "fine");
}

TEST(WorkerPool, AJobThatDoesNotListenIsKilled) {
  auto job = [](uint32_t number) -> std::string {
    while (number == 0) pause();
    return "fine";
  };
  auto out = run({{0, 1}}, job, {.timeout_ms = 50});
  EXPECT_EQ(out[0].how, JobOutcome::How::TimedOut);
  EXPECT_EQ(out[1].payload, "fine");
}

}  // namespace
}  // namespace harn::cli
