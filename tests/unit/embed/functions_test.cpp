#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>
#include <thread>

#include "harn/harn.h"

namespace harn::embed {
namespace {

Value same(const Arguments& arguments) { return arguments[0]; }

// The answer of `run()`, or its error.
std::string run(Vm& vm, std::string text) {
  Loaded loaded = vm.load_text("test.harn", std::move(text));
  if (!loaded) return "not loaded: " + loaded.error->message;
  auto answer = vm.call("run");
  if (!answer) return answer.error().kind + ": " + answer.error().message;
  return answer->is_int() ? std::to_string(answer->integer()) : answer->text();
}

TEST(Functions, AreCalledLikeBuiltins) {
  Vm vm;
  ASSERT_TRUE(vm.add_function("join_all", "(separator: string, limit?: int, ...parts: string) -> string",
                              [](const Arguments& arguments) {
                                std::string out;
                                for (size_t i = 2; i < arguments.size(); ++i) {
                                  out += (i > 2 ? arguments[0].text() : "") + arguments[i].text();
                                }
                                return out;
                              }));
  EXPECT_EQ(run(vm, "fn run() { return join_all(\"-\", nil, \"a\", \"b\") }"), "a-b");
}

TEST(Functions, ACallThatDoesNotFitIsAnErrorOfTheProgram) {
  auto answer = [](std::string call) {
    Vm vm;
    EXPECT_TRUE(vm.add_function("lookup", "(id: int, tags: list<string>) -> string", same));
    return run(vm, "fn run() { return " + call + " }");
  };
  EXPECT_EQ(answer("lookup(\"x\", [])"),
            "type: `lookup` expects `int` for `id`, got string: lookup(id: int, tags: list<string>) -> string");
  EXPECT_EQ(answer("lookup(1, [2])").substr(0, 46), "type: `lookup` expects `list<string>` for `tag");
  EXPECT_EQ(answer("lookup(1, [])"), "type: the host's function `lookup` should give `string`, but gave int");
  EXPECT_EQ(answer("lookup(1)").substr(0, 12), "not loaded: ");
}

TEST(Functions, BadOnesAreRefused) {
  Vm vm;
  EXPECT_EQ(vm.add_function("two words", "() -> int", same).error().kind, "invalid");
  EXPECT_EQ(vm.add_function("while", "() -> int", same).error().kind, "invalid");
  EXPECT_EQ(vm.add_function("println", "() -> int", same).error().message, "there is a builtin `println` already");
  EXPECT_EQ(vm.add_function("f", "(x -> int", same).error().kind, "invalid");
  EXPECT_EQ(vm.add_function("f", "(x: Unknown) -> int", same).error().message,
            "the signature of `f` cannot be read: there is no type `Unknown`");
  EXPECT_EQ(vm.add_function("f", "() -> int; (x: int) -> int", same).error().kind, "invalid");
  EXPECT_TRUE(vm.add_function("f", "() -> int", same));
  EXPECT_EQ(vm.add_function("f", "() -> int", same).error().message, "there is a function `f` already");
}

TEST(Functions, AreAnEffect) {
  for (Runs runs : {Runs::Aside, Runs::InTask}) {
    Vm vm({.deny = {"host"}});
    ASSERT_TRUE(vm.add_function("f", "() -> int", same, runs));
    EXPECT_EQ(run(vm, "fn run() { return f() }"), "denied: capability denied: host.call (f)");
  }
}

TEST(Functions, FailuresAreTyped) {
  Vm vm;
  ASSERT_TRUE(vm.add_function("find", "(id: int) -> string", [](const Arguments&) -> Result<Value> {
    Error cause{.kind = "io", .message = "disk"};
    Error error{.kind = "not_found", .message = "no such thing", .code = "E42", .value = Dict{{"id", 7}}};
    error.cause = std::make_shared<Error>(cause);
    return std::unexpected(error);
  }));
  ASSERT_TRUE(vm.add_function("throws", "() -> string",
                              [](const Arguments&) -> Result<Value> { throw std::runtime_error("a bug"); }));
  ASSERT_TRUE(vm.load_text("test.harn",
                           "fn caught() { try { find(1) } catch (e: NotFoundError) { return \"${e.kind} ${e.code} "
                           "${e.message} ${e.details.id} ${e.cause}\" } }\n"
                           "fn uncaught() { return find(1) }\nfn thrown() { return throws() }"));
  EXPECT_EQ(vm.call("caught").value(), Value("not_found E42 no such thing 7 disk"));
  Error error = vm.call("uncaught").error();
  EXPECT_EQ(error.kind, "not_found");
  EXPECT_EQ(error.code, "E42");
  EXPECT_EQ(error.value["id"], Value(7));
  ASSERT_TRUE(error.cause);
  EXPECT_EQ(error.cause->kind, "io");
  Error thrown = vm.call("thrown").error();
  EXPECT_EQ(thrown.kind + ": " + thrown.message, "runtime: a bug");
}

TEST(Functions, TasksOnSeveralWorkersCallThem) {
  for (Runs runs : {Runs::Aside, Runs::InTask}) {
    Vm vm({.workers = 4});
    std::atomic<int> calls{0};
    ASSERT_TRUE(vm.add_function(
        "twice", "(n: int) -> int",
        [&](const Arguments& arguments) {
          ++calls;
          return arguments[0].integer() * 2;
        },
        runs));
    EXPECT_EQ(run(vm, "fn run() { return (parallel each range(0, 200) { i -> twice(i) }).sum() }"), "39800");
    EXPECT_EQ(calls, 200);
  }
}

TEST(Functions, OneThatWaitsKeepsNobody) {
  Vm vm({.workers = 1});
  std::latch other_ran(1);
  ASSERT_TRUE(vm.add_function("wait", "() -> string", [&](const Arguments&) {
    other_ran.wait();
    return "waited";
  }));
  ASSERT_TRUE(vm.add_function("let_go", "() -> nil", [&](const Arguments&) {
    other_ran.count_down();
    return nullptr;
  }));
  EXPECT_EQ(run(vm, "fn run() { let t = spawn { wait() }\nlet_go()\nreturn await(t) }"), "waited");
}

TEST(Functions, MayCallTheProgram) {
  Vm vm({.workers = 2});
  ASSERT_TRUE(vm.add_function("back", "(n: int) -> int", [&](const Arguments& arguments) -> Result<Value> {
    return vm.call("down", {arguments[0].integer() - 1});
  }));
  // Deeper than the pool has threads.
  EXPECT_EQ(run(vm, "fn down(n) { if n == 0 { return 0 }\nreturn 1 + back(n) }\nfn run() { return down(100) }"), "100");
}

TEST(Functions, OnesThatRunInTheirTaskMayNotWaitForTheProgram) {
  Vm vm;
  ASSERT_TRUE(vm.add_function(
      "back", "() -> int", [&](const Arguments&) { return vm.call("f"); }, Runs::InTask));
  EXPECT_EQ(run(vm, "fn f() { return 1 }\nfn run() { return back() }").substr(0, 13), "unsupported: ");
}

TEST(Functions, ADeadlineDoesNotWaitForThem) {
  std::atomic<bool> noticed{false};
  {
    Vm vm;
    ASSERT_TRUE(vm.add_function("endless", "() -> nil", [&](const Arguments& arguments) {
      while (!arguments.is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      noticed = true;
      return nullptr;
    }));
    EXPECT_EQ(run(vm, "fn run() { deadline 20 { endless() }\nreturn 1 }"), "timeout: Deadline exceeded");
  }
  EXPECT_TRUE(noticed);  // a VM waits for functions that still run
}

TEST(Functions, AVmThatGoesTellsThem) {
  std::atomic<int> begun{0}, ended{0};
  {
    Vm vm;
    ASSERT_TRUE(vm.add_function("endless", "() -> nil", [&](const Arguments& arguments) {
      ++begun;
      while (!arguments.is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++ended;
      return nullptr;
    }));
    ASSERT_TRUE(vm.load_text("test.harn", "fn run() { endless() }"));
    for (int i = 0; i < 50; ++i) vm.start("run", {}, [](Result<Value>) {});
    while (begun == 0) std::this_thread::yield();
  }
  EXPECT_EQ(begun, ended);
}

}  // namespace
}  // namespace harn::embed
