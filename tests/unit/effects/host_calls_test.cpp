#include "vm/host_calls.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/evaluate.h"
#include "vm/ops.h"
#include "vm/scheduler.h"

namespace harn::vm {
namespace {

using test::MemoryVm;

HostCalls::MakeArguments ints(std::vector<int64_t> numbers) {
  return [numbers]() -> Outcome<std::vector<Value>> {
    std::vector<Value> made;
    for (int64_t number : numbers) made.push_back(Value::integer(number));
    return made;
  };
}

std::string called(HostCalls& calls, std::string function, std::vector<int64_t> arguments) {
  auto answer = calls.call<std::string>(std::move(function), ints(std::move(arguments)), display);
  return answer ? *answer : fmt::format("{}: {}", row(answer.error().kind).kind, answer.error().message);
}

TEST(HostCalls, ManyThreadsCallAProgramThatServes) {
  MemoryVm memory;
  memory.evaluate("let base = 100\nfn add(a, b) { sleep(1)\nreturn base + a + b }\nnil");
  HostCalls calls(memory.vm());
  std::vector<std::thread> clients;
  std::atomic<int> wrong{0};
  std::string first;
  std::atomic<int> left{8};
  for (int64_t t = 0; t < 8; ++t) {
    clients.emplace_back([&, t] {
      for (int64_t i = 0; i < 20; ++i) {
        std::string answer = called(calls, "add", {t, i});
        wrong += answer != std::to_string(100 + t + i);
        if (i == 0 && t == 0) first = answer;
      }
      if (--left == 0) calls.close();
    });
  }
  EXPECT_TRUE(calls.serve());
  for (auto& client : clients) client.join();
  EXPECT_EQ(wrong, 0) << first;
}

TEST(HostCalls, ErrorsSayWhatTheyAre) {
  MemoryVm memory;
  memory.evaluate(
      "fn parse() { return json_parse(\"{\") }\nfn own() { throw \"mine\" }\nfn late() { deadline 1 { sleep(9000) } "
      "}\nnil");
  HostCalls calls(memory.vm());
  std::vector<std::string> answers;
  std::thread client([&] {
    answers = {called(calls, "no_such_function", {}), called(calls, "own", {}), called(calls, "late", {}),
               called(calls, "parse", {}).substr(0, 25), called(calls, "parse", {1}).substr(0, 20)};
    calls.close();
    answers.push_back(called(calls, "own", {}));
  });
  EXPECT_TRUE(calls.serve());
  client.join();
  EXPECT_EQ(answers, (std::vector<std::string>{"not_found: the program has no function `no_such_function`", ": mine",
                                               "timeout: Deadline exceeded", "invalid: JSON parse error",
                                               "type: Arity mismatch", "closed: the program takes no more calls"}));
}

// Not only while it waits.
TEST(HostCalls, TheProgramMayCompute) {
  MemoryVm memory;
  memory.evaluate(
      "let done = atomic(0)\nfn stop() { atomic_set(done, 1)\nreturn \"stopped\" }\n"
      "fn compute() { for i in 0 to 1000000000000 { if atomic_get(done) == 1 { return i > 0 } } }\nnil");
  HostCalls calls(memory.vm());
  std::string answer;
  std::thread client([&] { answer = called(calls, "stop", {}); });
  auto outcome = memory.vm().call(memory.vm().global(*memory.vm().find_global("compute")), {});
  client.join();
  EXPECT_EQ(answer, "stopped");
  EXPECT_EQ(outcome ? display(*outcome) : "failed", "true");
  memory.vm().end_tasks();
}

TEST(HostCalls, AProgramThatIsStoppedAnswers) {
  MemoryVm memory;
  memory.evaluate("fn wait() { sleep(100000) }\nnil");
  HostCalls calls(memory.vm());
  std::string answer;
  std::thread client([&] { answer = called(calls, "wait", {}); });
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    memory.vm().stop(StopReason::Interrupt);
  });
  EXPECT_FALSE(calls.serve());
  memory.vm().end_tasks();
  client.join();
  stopper.join();
  EXPECT_TRUE(answer.starts_with("cancelled: ")) << answer;
}

}  // namespace
}  // namespace harn::vm
