// What attends to effects: budgets, traces, recordings.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "effects/clock.h"
#include "effects/files.h"
#include "effects/process.h"
#include "effects/tape_file.h"
#include "support/evaluate.h"
#include "vm/scheduler.h"

namespace harn::effects {
namespace {

using test::MemoryVm;
using VmRun = effects::Run;  // a test has a Run of its own

TEST(Budget, TakesOfAllOrOfNone) {
  auto outer = std::make_shared<Budget>(nullptr, std::vector<Limit>{{"process", 3}});
  Budget inner(outer, {{"*", 2}});
  EXPECT_FALSE(inner.take(vm::Capability::Process));
  EXPECT_FALSE(inner.take(vm::Capability::Process));
  EXPECT_EQ(inner.take(vm::Capability::Process)->name, "*");
  EXPECT_FALSE(outer->take(vm::Capability::Process));  // what was refused was not taken
  EXPECT_EQ(outer->take(vm::Capability::Process)->most, 3);
  outer->give_back(vm::Capability::Process);
  EXPECT_FALSE(outer->take(vm::Capability::Process));
  EXPECT_FALSE(outer->take(vm::Capability::Network));
}

TEST(Budget, ThreadsTogetherGetNoMoreThanThereIs) {
  Budget budget(nullptr, {{"network", 1000}});
  std::atomic<int> got = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) got += !budget.take(vm::Capability::Network);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(got, 1000);
}

TEST(Run, AnInnerOneHasNoMoreThanTheOuterOne) {
  MemoryVm memory;
  auto outer = VmRun::within(VmRun::of(memory.vm()), {.limits = {{"fs", 2}}, .identity = "nightly"});
  auto inner = VmRun::within(*outer, {.limits = {{"fs", 100}}});
  EXPECT_EQ(inner->identity(), "nightly");
  EXPECT_TRUE(perform(*inner, CurrentDirectory{}));
  EXPECT_TRUE(perform(*inner, CurrentDirectory{}));
  auto third = perform(*inner, CurrentDirectory{});
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error()->error_kind, ErrorKind::Budget);
  EXPECT_EQ(vm::describe(*third.error()), "limit reached: at most 2 of fs (the current directory)");
  EXPECT_TRUE(perform(VmRun::of(memory.vm()), CurrentDirectory{}));
}

TEST(Trace, HasWhoAskedForWhatAndHowItEnded) {
  MemoryVm memory;
  VmRun& run = VmRun::of(memory.vm());
  std::vector<Span> spans;
  auto trace = std::make_shared<Trace>(vm::steady_now(), [&](const Span& span) { spans.push_back(span); });
  run.trace(trace);
  SpanId work = trace->begin({.name = "work"}, vm::steady_now());
  auto part = VmRun::within(run, {.policy = {.deny = {"process"}}, .identity = "reviewer", .parent = work});
  memory.vm().scheduler().root().run = vm::Ref<vm::HandleObject>::share(part.get());
  memory.evaluate("parallel(2) { i -> [now_ms(), try { exec(\"git\") }] }");
  trace->end(work, vm::steady_now(), SpanEnd::Done);
  ASSERT_EQ(spans.size(), 5u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(spans[i].parent, work);
    EXPECT_EQ(spans[i].identity, "reviewer");
    EXPECT_NE(spans[i].task, 0u);
    EXPECT_EQ(spans[i].end, spans[i].name == "clock.read" ? SpanEnd::Done : SpanEnd::Denied);
  }
  EXPECT_EQ(spans[4].name, "work");
  EXPECT_EQ(spans[4].parent, 0u);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct TapeOnDisk : testing::Test {
  std::string path = testing::TempDir() + "recording.tape";
  void SetUp() override {
    auto writer = TapeWriter::create(path, {.harn_version = "1", .text = "println(1)", .arguments = {"a", "b"}});
    ASSERT_TRUE(writer);
    for (uint64_t i = 0; i < 3; ++i) {
      (*writer)->add({{.task = 7, .number = i, .name = "fs.exists", .shown = "/x", .request = std::string(5, '\0')},
                      {Told::Answer, "bytes", static_cast<int64_t>(i)}});
    }
    ASSERT_TRUE((*writer)->finish({.exit_code = 4}));
  }
};

TEST_F(TapeOnDisk, IsReadAsItWasWritten) {
  auto tape = read_tape(path);
  ASSERT_TRUE(tape);
  EXPECT_EQ(tape->header.arguments, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(tape->entries.size(), 3u);
  EXPECT_EQ(tape->entries[2].question.number, 2u);
  EXPECT_EQ(tape->entries[2].answer.at, 2);
  EXPECT_EQ(tape->entries[1].question.request, std::string(5, '\0'));
  EXPECT_EQ(tape->end.exit_code, 4);
}

// Wherever it was cut off, what came before is there; whatever byte is wrong, nothing worse happens than an error.
TEST_F(TapeOnDisk, DamageIsNoticed) {
  std::string whole = read(path);
  size_t most = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    auto tape = read_tape(path);
    if (!tape) continue;
    EXPECT_FALSE(tape->has_end);
    EXPECT_GE(tape->entries.size(), most);
    most = tape->entries.size();
  }
  EXPECT_EQ(most, 3u);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string broken = whole;
    broken[i] = static_cast<char>(broken[i] ^ 0x21);
    std::ofstream(path, std::ios::binary) << broken;
    auto tape = read_tape(path);
    EXPECT_FALSE(tape && tape->has_end && tape->entries.size() == 3) << i;
  }
}

}  // namespace
}  // namespace harn::effects
