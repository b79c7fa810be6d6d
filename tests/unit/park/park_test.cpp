#include <gtest/gtest.h>

#include "parked.h"

namespace harn::park {
namespace {

std::string whole_output(const Compiled& program) {
  Machine machine;
  auto outcome = machine.vm.load(program.copy());
  EXPECT_TRUE(outcome);
  return machine.host.out;
}

// What the rest of a program writes.
std::string rest_of(const Compiled& program, const std::string& state, unsigned workers = 1) {
  Machine machine(workers);
  auto taken = take_up(machine.vm, program.copy(), state, builtins::park_kinds());
  EXPECT_TRUE(taken) << taken.error().message;
  if (!taken) return {};
  auto outcome = machine.vm.go_on();
  EXPECT_TRUE(outcome);
  return machine.host.out;
}

TEST(Park, GoesOnWhereItWas) {
  Compiled program(R"(
    var n = 1
    fn add(by) { n = n + by; sleep(1); return n }
    println(add(1))
    println(add(add(10)))
  )");
  std::string whole = whole_output(program);
  for (uint64_t wait = 1; wait <= 3; ++wait) {
    std::string before;
    std::string state = state_at(program, wait, 1, &before);
    EXPECT_EQ(before + rest_of(program, state), whole) << wait;
    EXPECT_EQ(before + rest_of(program, state), whole) << "a second time";
  }
  EXPECT_EQ(state_at(program, 4), "");
}

TEST(Park, TasksOnSeveralThreads) {
  Compiled program(R"(
    let done = channel("done", 100)
    let tasks = range(20).map({ i -> spawn {
      var sum = 0
      for k in 1 to 2000 { sum = sum + k * i }
      sleep(1)
      mutex { sleep(1) }
      send(done, sum)
    } }).to_list()
    var total = 0
    for i in 1 to 20 { total = total + receive(done) }
    println(total)
  )");
  std::string whole = whole_output(program);
  for (uint64_t wait : {1, 5, 20, 30, 45}) {
    std::string before;
    std::string state = state_at(program, wait, 4, &before);
    if (!state.empty()) before += rest_of(program, state, 4);
    EXPECT_EQ(before, whole) << wait;
  }
}

TEST(Park, EqualStatesHaveEqualBytes) {
  Compiled program("mock_time(5); let a = [1, {b: 2}]; let t = spawn { sleep(10) }; sleep(1000); println(a)");
  auto without_time = [&] {
    std::string bytes = state_at(program, 2);
    return bytes.size();
  };
  EXPECT_EQ(without_time(), without_time());
}

TEST(Park, WhatIsSharedIsWrittenOnce) {
  Compiled once("let big = \"x\".repeat(100000); let a = [big]; sleep(1); println(a)");
  Compiled often(
      "let big = \"x\".repeat(100000); let a = [big, big, {b: big}]; let f = { -> big }; sleep(1); println([a, f])");
  size_t one = state_at(once, 1).size();
  EXPECT_GT(one, 100'000u);
  EXPECT_LT(one, 101'000u);
  EXPECT_LT(state_at(often, 1).size(), one + 500);
}

TEST(Park, NamesWhatCannotTravel) {
  Machine machine;
  Compiled program("let t = spawn { exec(\"sleep\", \"30\") }; sleep(10000)");
  machine.vm.scheduler().stand_still_at(2);
  ASSERT_TRUE(machine.vm.load(program.copy()));
  ASSERT_TRUE(machine.vm.scheduler().stands_still());
  auto bytes = put_away(machine.vm, builtins::park_kinds());
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(
      bytes.error().message,
      "this program cannot be put away: its task vm_task_1 is in the middle of `exec`, which deals with the world "
      "outside");
}

TEST(Park, OtherCodeIsRefused) {
  Compiled program("let a = 1; sleep(1); println(a)");
  Compiled other("let a = 2; sleep(1); println(a)");
  Compiled same("// The same.\nlet a = 1\nsleep(1)\nprintln(a)");
  std::string state = state_at(program, 1);
  Machine machine;
  auto taken = take_up(machine.vm, other.copy(), state, builtins::park_kinds());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::Invalid);
  EXPECT_EQ(taken.error().message, "this program cannot be taken up: its code has changed since it was put away");
  EXPECT_EQ(rest_of(same, state), "1\n");
}

TEST(Park, NotesAreKept) {
  Machine machine;
  Compiled program("sleep(1)");
  machine.vm.scheduler().stand_still_at(1);
  ASSERT_TRUE(machine.vm.load(program.copy()));
  auto bytes = put_away(machine.vm, builtins::park_kinds(), "a note");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(note_of(*bytes), "a note");
  EXPECT_FALSE(note_of("other bytes"));
}

}  // namespace
}  // namespace harn::park
