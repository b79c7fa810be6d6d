#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <thread>

#include "harn/harn.h"

namespace harn::embed {
namespace {

Vm loaded(std::string text, Options options = {}) {
  Vm vm(std::move(options));
  Loaded loaded = vm.load_text("test.harn", std::move(text));
  EXPECT_TRUE(loaded) << loaded.error->message;
  return vm;
}

TEST(Calls, PlainDataGoesInAndOut) {
  Vm vm = loaded("fn same(x) { return x }");
  Value data = Dict{{"nil", nullptr},
                    {"bool", true},
                    {"int", INT64_MIN},
                    {"float", 1.5},
                    {"text", "grün"},
                    {"bytes", Bytes{std::string("\0\xff", 2)}},
                    {"list", List{1, List{}, Dict{}}}};
  EXPECT_EQ(vm.call("same", {data}).value(), data);
  EXPECT_EQ(vm.call("same", {std::string("\xff")}).error().kind, "invalid");
  EXPECT_EQ(vm.call("same", {size_t{7}}).value(), Value(7));
  EXPECT_EQ(vm.call("same", {List{1}}).value(), Value(List{1}));
}

TEST(Calls, WhatHasNoFormOfItsOwn) {
  Vm vm = loaded(
      "struct Point { x: int }\nenum Shape { Dot, Line(int) }\n"
      "fn of(what) { return match what { \"struct\" -> { Point({x: 1}) } \"enum\" -> { Shape.Line(2) } \"range\" -> { "
      "1 to 3 }"
      " \"set\" -> { set([1]) } \"fn\" -> { { x -> x } } _ -> { channel(\"c\") } } }");
  EXPECT_EQ(vm.call("of", {"struct"}).value(), Value(Dict{{"x", 1}}));
  EXPECT_EQ(vm.call("of", {"enum"}).value(), Value(Dict{{"enum", "Shape"}, {"variant", "Line"}, {"values", List{2}}}));
  EXPECT_EQ(vm.call("of", {"range"}).value(), Value(List{1, 2, 3}));
  EXPECT_EQ(vm.call("of", {"set"}).value(), Value(List{1}));
  EXPECT_EQ(vm.call("of", {"fn"}).error().kind, "unsupported");
  EXPECT_EQ(vm.call("of", {"channel"}).error().message, "a channel is no plain data: it cannot leave the program");
}

TEST(Calls, DeepDataIsRefused) {
  Vm vm = loaded("fn nest(n) { var x = []\nfor i in 1 to n { x = [x] }\nreturn x }\nfn depth(x) { return 0 }");
  EXPECT_TRUE(vm.call("nest", {200}));
  EXPECT_EQ(vm.call("nest", {300}).error().kind, "limit");
  Value deep;
  for (int i = 0; i < 300; ++i) deep = List{std::move(deep)};
  EXPECT_EQ(vm.call("depth", {deep}).error().kind, "limit");
}

TEST(Calls, ErrorsSayWhatTheyAre) {
  Vm vm = loaded(
      "fn own() { throw {kind: \"timeout\", message: \"late\", at: 3} }\n"
      "fn text() { throw \"mine\" }\n"
      "fn wrong(n: int) { return n }\n"
      "fn slow() { deadline 1 { sleep(60000) } }\n");
  Error own = vm.call("own").error();
  EXPECT_EQ(own.kind, "timeout");
  EXPECT_EQ(own.message, "late");
  EXPECT_EQ(own.value["at"], Value(3));
  ASSERT_FALSE(own.trace.empty());
  EXPECT_EQ(own.trace[0], "at own (test.harn:1:12)");
  Error text = vm.call("text").error();
  EXPECT_EQ(text.kind, "thrown");
  EXPECT_EQ(text.value, Value("mine"));
  EXPECT_EQ(vm.call("wrong", {"x"}).error().kind, "type");
  EXPECT_EQ(vm.call("wrong", {1, 2}).error().kind, "type");
  EXPECT_EQ(vm.call("slow").error().kind, "timeout");
  EXPECT_EQ(vm.call("slow").error().category, "timeout");
  EXPECT_EQ(vm.call("nothing").error().kind, "not_found");
}

TEST(Calls, FromManyThreads) {
  Vm vm = loaded("let base = 100\nfn add(a, b) { sleep(1)\nreturn base + a + b }", {.workers = 4});
  std::atomic<int> wrong{0};
  std::vector<std::thread> clients;
  for (int t = 0; t < 8; ++t) {
    clients.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) wrong += vm.call("add", {t, i}) != Value(100 + t + i);
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Calls, TwoVmsHaveNothingInCommon) {
  std::string counter = "var n = 0\nlet all = atomic(0)\nfn next() { atomic_add(all, 1)\nreturn atomic_get(all) }";
  Vm first = loaded(counter), second = loaded(counter);
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(second.call("next"));
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(first.call("next"));
  other.join();
  EXPECT_EQ(first.call("next").value(), Value(21));
  EXPECT_EQ(second.call("next").value(), Value(51));
}

TEST(Calls, WithoutWaiting) {
  Vm vm = loaded("fn twice(n) { return n * 2 }");
  std::atomic<int> sum{0};
  for (int i = 1; i <= 10; ++i) {
    vm.start("twice", {i}, [&](Result<Value> answer) { sum += static_cast<int>(answer->integer()); });
  }
  EXPECT_TRUE(vm.finish());
  EXPECT_EQ(sum, 110);
  EXPECT_EQ(vm.call("twice", {1}).error().kind, "closed");
}

TEST(Calls, FinishTellsWhatCleanUpFailedWith) {
  Vm vm = loaded(
      "gen fn numbers() { try { emit 1 } finally { throw \"unclean\" } }\nlet numbers_left = "
      "numbers()\nnumbers_left.next()\nfn left() { return numbers_left }");
  auto finished = vm.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "unclean");
}

TEST(Calls, AVmThatGoesAnswersThoseWhoWait) {
  auto vm = std::make_unique<Vm>(loaded("fn wait() { sleep(600000) }"));
  std::vector<std::thread> clients;
  std::latch calling(4);
  std::atomic<int> cancelled{0};
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, raw = vm.get()] {
      raw->start("wait", {}, [&](Result<Value> answer) { cancelled += !answer && answer.error().kind == "cancelled"; });
      calling.count_down();
      auto answer = raw->call("wait");
      EXPECT_FALSE(answer);
    });
  }
  calling.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  vm->stop();
  for (auto& client : clients) client.join();
  vm.reset();
  EXPECT_EQ(cancelled, 4);
}

TEST(Calls, AVmThatGoesInTheMiddle) {
  std::atomic<int> answers{0};
  {
    Vm vm = loaded("fn wait() { for i in 0 to 1000000000000 { } }", {.workers = 2});
    for (int i = 0; i < 20; ++i) vm.start("wait", {}, [&](Result<Value> answer) { answers += !answer; });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(answers, 20);
}

// What cleans up for longer than the two seconds is left behind; its caller is not.
TEST(Calls, CleanUpThatTakesTooLongIsNotWaitedFor) {
  std::atomic<int> answers{0};
  {
    Vm vm = loaded("fn stubborn() { defer { for i in 0 to 1000000000000 { } }\nsleep(600000) }", {.workers = 1});
    vm.start("stubborn", {}, [&](Result<Value> answer) { answers += !answer; });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(answers, 1);
}

TEST(Calls, EventsTellOfTasks) {
  std::mutex lock;
  std::vector<std::string> seen;
  Options options;
  options.workers = 1;
  options.events = [&](const Event& event) {
    std::lock_guard guard(lock);
    const char* kinds[] = {"started", "ended", "failed", "end"};
    seen.push_back(kinds[static_cast<int>(event.kind)] + (event.error ? " " + event.error->message : std::string()));
  };
  {
    Vm vm = loaded("fn run() { let t = spawn { throw \"lost\" }\nsleep(5)\nreturn 1 }", std::move(options));
    EXPECT_EQ(vm.call("run").value(), Value(1));
    EXPECT_TRUE(vm.finish());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"started", "started", "ended lost", "failed lost", "ended", "end"}));
}

}  // namespace
}  // namespace harn::embed
