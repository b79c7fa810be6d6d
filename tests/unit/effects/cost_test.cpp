// What the door to the world costs: little when nobody attends, and not much more than its bytes when somebody records.
//
// Figures are the least of many rounds, which is what other programs on the machine disturb least.
#include <gtest/gtest.h>

#include <chrono>

#include "effects/perform.h"
#include "support/evaluate.h"

namespace harn::effects {
namespace {

using VmRun = effects::Run;

// An effect that does next to nothing.
struct Ping {
  using Answer = int64_t;
  static constexpr EffectRow row{.name = "test.ping", .capability = vm::Capability::ClockRead};

  int64_t number = 0;

  std::string shown() const { return "a ping"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(number);
  }
};
vm::Outcome<int64_t> carry_out(VmRun&, const Ping& request) { return request.number + 1; }

constexpr int kEach = 1000, kRounds = 200;

template <class Call>
double nanoseconds(Call call) {
  double least = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kEach; ++i) call(i);
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / kEach);
  }
  return least;
}

// Sanitizers and builds without optimisation have other costs.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kIsMeasured = true;
#else
constexpr bool kIsMeasured = false;
#endif

struct Cost : testing::Test {
  void SetUp() override {
    if (!kIsMeasured) GTEST_SKIP() << "this build has costs of its own";
  }
  test::MemoryVm memory;
  VmRun& run = VmRun::of(memory.vm());
  int64_t sum = 0;

  double raw() {
    return nanoseconds([&](int i) { sum += *carry_out(run, Ping{i}); });
  }
  double gated() {
    return nanoseconds([&](int i) { sum += *perform(run, Ping{i}); });
  }
};

TEST_F(Cost, NobodyAttends) {
  double cost = gated() - raw();
  RecordProperty("nanoseconds", static_cast<int>(cost));
  printf("the gate: %.1f ns\n", cost);
  EXPECT_LT(cost, 200);
}

TEST_F(Cost, AnEffectIsRecorded) {
  double without = raw();
  size_t bytes = 0;
  run.record(std::make_shared<Recorder>([&](const TapeEntry& entry) { bytes += entry.answer.bytes.size(); }));
  double cost = gated() - without;
  RecordProperty("nanoseconds", static_cast<int>(cost));
  printf("a recording: %.1f ns\n", cost);
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(cost, 2000);
}

}  // namespace
}  // namespace harn::effects
