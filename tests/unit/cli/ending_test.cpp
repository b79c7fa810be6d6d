#include "cli/ending.h"

#include <gtest/gtest.h>

#include "vm/objects.h"

namespace harn::cli {
namespace {

using vm::ErrorClass;
using vm::Value;

Ending ending(vm::Outcome<Value> outcome, Answers answers = Answers::Yes) {
  return ending_of(outcome, answers, Snippet::No, diag::Colour::No);
}

Ending ending(ErrorClass error_class, Value value) {
  return ending(std::unexpected(vm::new_error(error_class, std::move(value))));
}

TEST(Ending, ReturnedIntsAreExitCodes) {
  EXPECT_EQ(ending(Value::integer(7)).exit_code, 7);
  EXPECT_EQ(ending(Value::integer(256)).exit_code, 255);
  EXPECT_EQ(ending(Value::integer(-1)).exit_code, 0);
  EXPECT_EQ(ending(Value::integer(7), Answers::No).exit_code, 0);
  EXPECT_EQ(ending(vm::text_value("x")).exit_code, 0);
}

TEST(Ending, ReturnedErrFailsWithItsPayload) {
  Value payload[] = {vm::text_value("no luck")};
  Value err(vm::new_enum(vm::result_type(), 1, payload));
  Ending result = ending(err);
  EXPECT_EQ(result.kind, Ending::Kind::Failed);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.message, "no luck\n");
}

TEST(Ending, ErrorsFail) {
  Ending result = ending(ErrorClass::Thrown, vm::text_value("boom"));
  EXPECT_EQ(result.kind, Ending::Kind::Failed);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.message, "Error: boom\n");
}

TEST(Ending, ExitLeavesWithItsCode) {
  Ending result = ending(ErrorClass::Exit, Value::integer(3));
  EXPECT_EQ(result.kind, Ending::Kind::Exited);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.message, "");
  EXPECT_EQ(ending(ErrorClass::Exit, Value()).exit_code, 0);
}

TEST(Ending, StoppedRunsAreTold) {
  Ending result = ending(ErrorClass::Cancelled, vm::text_value("stop"));
  EXPECT_EQ(result.kind, Ending::Kind::Stopped);
  EXPECT_EQ(result.exit_code, 124);
}

}  // namespace
}  // namespace harn::cli
