// Bytes that were cut, changed or made up: an error, or a program, but never a crash.
#include <gtest/gtest.h>

#include "parked.h"
#include "vm/digest.h"

namespace harn::park {
namespace {

constexpr size_t kHeader = 9;  // magic and version

// The digest finds every change; what is behind it must do without.
std::string sealed(std::string bytes) {
  size_t body = kHeader + vm::Digest::kSize;
  if (bytes.size() >= body) bytes.replace(kHeader, vm::Digest::kSize, vm::Digest::of(bytes.substr(body)));
  return bytes;
}

bool is_taken_up(const Compiled& program, const std::string& bytes) {
  Machine machine;
  return take_up(machine.vm, program.copy(), bytes, builtins::park_kinds()).has_value();
}

// Bytes that were made on purpose.
bool is_forgery_taken_up(const Compiled& program, const std::string& bytes) {
  return is_taken_up(program, sealed(bytes));
}

constexpr const char* kPrograms[] = {
    R"(
      fn f(n) { defer { println(n) }; try { sleep(1) } finally { sleep(1) }; return n }
      let a = {list: [1, 2.5, "text"], s: set(1, 2)}
      println(f(a))
    )",
    R"(
      fn numbers() { defer { println("end") }; for i in 1 to 3 { sleep(1); yield i } }
      var n = 0
      let add = { x -> n = n + x; n }
      for x in numbers() { add(x) }
    )",
    R"(
      struct P { x: int }
      impl P { fn get(self) { sleep(1); return self.x } }
      enum E { A(v), B }
      let c = channel("c", 1)
      let t = spawn { send(c, P({x: 1})); send(c, E.A(2)); mutex { sleep(1) } }
      let u = spawn { mutex { receive(c) } }
      println(parallel each [1, 2] { i -> sleep(i); i })
      println(receive(c).get())
      try { deadline 5s { select { x from c { println(x) } timeout 1s { println("late") } } } } catch (e) { println(e) }
    )",
};

class Damage : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Damage, AnyByteMayBeWrong) {
  Compiled program(kPrograms[GetParam().first]);
  std::string state = state_at(program, static_cast<uint64_t>(GetParam().second));
  ASSERT_FALSE(state.empty());
  ASSERT_TRUE(is_taken_up(program, state));
  for (size_t at = 0; at < state.size(); ++at) {
    std::string changed = state;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(is_taken_up(program, changed)) << "byte " << at;
    if (at < kHeader) continue;
    for (int with : {1, 2, 0x40, 0x80, 0xFF}) {
      changed[at] = static_cast<char>(state[at] ^ with);
      is_forgery_taken_up(program, changed);
    }
  }
}

TEST_P(Damage, TheEndMayBeMissing) {
  Compiled program(kPrograms[GetParam().first]);
  std::string state = state_at(program, static_cast<uint64_t>(GetParam().second));
  for (size_t size = 0; size < state.size(); ++size) {
    EXPECT_FALSE(is_taken_up(program, state.substr(0, size))) << size;
    EXPECT_FALSE(is_taken_up(program, sealed(state.substr(0, size)))) << size;
  }
  EXPECT_FALSE(is_taken_up(program, sealed(state + '\0')));
}

INSTANTIATE_TEST_SUITE_P(States, Damage,
                         testing::Values(std::pair(0, 1), std::pair(0, 2), std::pair(1, 2), std::pair(1, 3),
                                         std::pair(2, 1), std::pair(2, 4), std::pair(2, 5)));

}  // namespace
}  // namespace harn::park
