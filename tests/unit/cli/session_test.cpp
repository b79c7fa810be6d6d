#include <gtest/gtest.h>

#include "cli/repl_session.h"

namespace harn::cli {
namespace {

// What a session prints, both streams together.
class MemoryHost : public ProcessHost {
 public:
  void write(vm::Stream, std::string_view text) override { text_ += text; }
  void flush() override {}
  std::string take() { return std::exchange(text_, ""); }

 private:
  std::string text_;
};

class Session : public testing::Test {
 protected:
  std::string run(std::string_view input) {
    session_.evaluate(input);
    return host_.take();
  }
  MemoryHost host_;
  ReplSession session_{host_, {}};
};

TEST_F(Session, FunctionsShareVariablesWithLaterInputs) {
  run("var n = 0");
  run("fn inc() { n = n + 1\n return n }");
  EXPECT_EQ(run("inc()"), "_1 = 1\n");
  run("n = 10");
  EXPECT_EQ(run("inc()"), "_2 = 11\n");
  EXPECT_EQ(run("n"), "_3 = 11\n");
}

TEST_F(Session, RedeclaringMakesANewVariable) {
  run("let x = 1");
  run("fn old() { return x }");
  run("let x = x + 1");
  EXPECT_EQ(run("[old(), x]"), "_1 = [1, 2]\n");
}

TEST_F(Session, AFailedInputKeepsWhatWasThere) {
  run("let x = 1");
  run("let x = 1 / 0");
  EXPECT_EQ(run("x"), "_1 = 1\n");
}

TEST_F(Session, NothingRunsTwice) {
  EXPECT_EQ(run("println(\"once\")"), "once\n");
  EXPECT_EQ(run("1"), "_1 = 1\n");
}

TEST_F(Session, ManyVariablesStayInPlace) {
  run("var first = 0\nfn bump() { first = first + 1 }");
  for (int i = 0; i < 2000; ++i) run("let v" + std::to_string(i) + " = " + std::to_string(i));
  run("bump()");
  EXPECT_EQ(run("[first, v0, v1999]"), "_1 = [1, 0, 1999]\n");
}

}  // namespace
}  // namespace harn::cli
