#include "effects/perform.h"

#include <gtest/gtest.h>

#include <thread>

#include "effects/clock.h"
#include "effects/files.h"
#include "effects/http_stream.h"
#include "effects/process.h"
#include "effects/random.h"
#include "effects/stdio.h"
#include "support/evaluate.h"
#include "vm/scheduler.h"

namespace harn::effects {
namespace {

using test::MemoryVm;
using VmRun = effects::Run;  // a test has a Run of its own

std::string error_of(const auto& outcome) { return outcome ? "" : vm::describe(*outcome.error()); }

TEST(Perform, AMockAnswersInsteadOfTheWorld) {
  MemoryVm memory;
  VmRun& run = VmRun::of(memory.vm());
  set_mock<RunProcess>(run, [](const RunProcess& request) -> std::optional<vm::Outcome<RunProcess::Answer>> {
    if (request.words[0] != "git") return std::nullopt;
    return RunProcess::Answer{.out = "clean", .status = 0};
  });
  EXPECT_EQ(memory.evaluate("exec(\"git\", \"status\").stdout"), "clean");
  EXPECT_EQ(memory.evaluate("exec(\"echo\", \"real\").stdout"), "real\n");
  clear_mock<RunProcess>(run);
  EXPECT_TRUE(run.is_direct(vm::Capability::Process));
}

TEST(Perform, APolicyOnlyNarrows) {
  MemoryVm memory;
  VmRun& outer = VmRun::of(memory.vm());
  auto inner = VmRun::within(outer, {.policy = {.allow = {"clock", "fs"}}});
  auto innermost = VmRun::within(*inner, {.policy = {.allow = {"*"}, .deny = {"fs"}}});
  EXPECT_TRUE(perform(outer, CurrentDirectory{}));
  EXPECT_TRUE(perform(*inner, CurrentDirectory{}));
  EXPECT_EQ(error_of(perform(*innermost, CurrentDirectory{})), "capability denied: fs.info (the current directory)");
  EXPECT_TRUE(perform(*innermost, ReadClock{}));
  EXPECT_EQ(error_of(perform(*innermost, RandomBytes{4})), "capability denied: random.draw");
  EXPECT_TRUE(perform(*innermost, Write{vm::Stream::Out, "still answers"}));
  EXPECT_EQ(memory.host.out, "still answers");
}

TEST(Perform, TasksHaveTheRunOfTheirCreator) {
  MemoryVm memory;
  vm::Ref<VmRun> narrow = VmRun::within(VmRun::of(memory.vm()), {.policy = {.deny = {"random"}}});
  memory.vm().scheduler().root().run = vm::Ref<vm::HandleObject>::share(narrow.get());
  EXPECT_EQ(memory.evaluate("parallel(2) { i -> try { random() } catch (e) { e } }"),
            "[capability denied: random.draw, capability denied: random.draw]");
  EXPECT_EQ(memory.evaluate("await(spawn { await(spawn { is_err(try { uuid() }) }) })"), "true");
}

TEST(Perform, AStreamIsAnEffectForEachPiece) {
  MemoryVm memory;
  VmRun& run = VmRun::of(memory.vm());
  set_mock<OpenHttp>(run, [](const OpenHttp& request) -> std::optional<vm::Outcome<OpenHttp::Answer>> {
    OpenHttp::Answer answer{{.status = request.url.ends_with("/moved") ? 302 : 200}};
    if (answer.status == 302) answer.redirect_to = "http://h/here";
    answer.stream = answer.status == 302 ? 1 : 2;
    return answer;
  });
  std::vector<uint64_t> closed;
  set_mock<CloseHttp>(run, [&](const CloseHttp& request) -> std::optional<vm::Outcome<bool>> {
    closed.push_back(request.stream);
    return true;
  });
  int left = 2;
  set_mock<ReadHttp>(run, [&left](const ReadHttp&) -> std::optional<vm::Outcome<ReadHttp::Answer>> {
    return left-- > 0 ? ReadHttp::Answer{.bytes = "x"} : ReadHttp::Answer{.is_end = true};
  });
  EXPECT_EQ(memory.evaluate("let s = http_stream_open(\"http://h/moved\")\n"
                            "[http_stream_info(s).status, len(http_stream_read(s)), len(http_stream_read(s)),\n"
                            " http_stream_read(s), http_stream_close(s)]"),
            "[200, 1, 1, nil, true]");
  EXPECT_EQ(closed, (std::vector<uint64_t>{1, 2}));  // the answer that only said where to look was not kept
}

// The world as one run saw it is the world that the next one sees, on any number of workers.
TEST(Perform, ATapeAnswersLikeTheRunThatWasRecorded) {
  const char* program =
      "let parts = parallel(6) { i -> [i, random(), uuid(), now_ms(), exec(\"sh\", \"-c\", \"echo $$\").stdout] }\n"
      "[parts, read_line(), try { exec(\"no-such-program\") } catch (e) { e }]";
  std::vector<TapeEntry> tape;
  std::string recorded;
  {
    MemoryVm memory;
    memory.host.in = "typed\n";
    VmRun::of(memory.vm()).record(std::make_shared<Recorder>([&](const TapeEntry& entry) { tape.push_back(entry); }));
    recorded = memory.evaluate(program);
    EXPECT_NE(recorded.find("typed"), std::string::npos);
  }
  MemoryVm memory;
  memory.host.clock_ms = 1;
  auto player = std::make_shared<Player>(tape);
  VmRun::of(memory.vm()).replay(player);
  EXPECT_EQ(memory.evaluate(program), recorded);
  player->finish();
  EXPECT_FALSE(player->divergence());
  EXPECT_EQ(memory.evaluate("try { exec(\"true\") } catch (e) { e }"),
            "replay: expected the end of the program, but the program asks for process.run (true) in task_root");
}

TEST(Perform, SecretsAreNotShown) {
  MemoryVm memory;
  memory.host.variables["HARN_DENY"] = "process, network";
  VmRun& run = VmRun::of(memory.vm());
  EXPECT_EQ(error_of(perform(run, SendHttp{{{.url = "https://u:secret@h/p?key=secret"}}})),
            "capability denied: network.access (GET https://***@h/p?key=***)");
  EXPECT_EQ(memory.evaluate("try { exec(\"curl\", \"secret\") } catch (e) { e }"),
            "capability denied: process.exec (curl)");
}

TEST(Perform, ASeedFixesAllRandomness) {
  const char* program = "[random(), uuid(), random_int(1, 1000000), parallel(3) { i -> [random(), uuid()] }]";
  auto draw = [&](const char* seed) {
    MemoryVm memory;
    memory.host.variables["HARN_SEED"] = seed;
    return memory.evaluate(program);
  };
  EXPECT_EQ(draw("7"), draw("7"));
  EXPECT_NE(draw("7"), draw("8"));
}

TEST(Perform, TheMockedClockIsTheOnlyOne) {
  MemoryVm memory;
  EXPECT_EQ(memory.evaluate("mock_time(1000)\nlog_info(\"x\")\nlet a = uuid_v7()\nadvance_time(86400000)\n"
                            "[now_ms(), a[0:13], uuid_v7()[0:13], timestamp()]"),
            "[86401000, 00000000-03e8, 00000526-5fe8, 86401.0]");
  EXPECT_EQ(memory.host.out.substr(0, 31), "{\"ts\":\"1970-01-01T00:00:01.000Z");
}

// Programs that run side by side in one process have nothing in common.
TEST(Perform, VmsDoNotNoticeEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([i, &wrong] {
      MemoryVm memory;
      memory.host.clock_ms = i;
      memory.host.variables["HARN_SEED"] = std::to_string(i % 4);
      if (i % 2) memory.host.variables["HARN_DENY"] = "clock";
      std::string clock = memory.evaluate("parallel(3) { n -> try { now_ms() } catch (e) { \"no\" } }");
      std::string expected = i % 2 ? "[no, no, no]" : fmt::format("[{0}, {0}, {0}]", i);
      MemoryVm same;
      same.host.variables["HARN_SEED"] = std::to_string(i % 4);
      if (clock != expected || memory.evaluate("random()") != same.evaluate("random()")) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace harn::effects
