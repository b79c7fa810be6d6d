// Runs the example of every builtin: each is a Harn expression that must be true.
#include <gtest/gtest.h>

#include "support/evaluate.h"

namespace harn {
namespace {

TEST(Examples, EveryExampleIsTrue) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->example.empty()) continue;
    EXPECT_EQ(test::MemoryVm().evaluate(row->example), "true") << row->name << ": " << row->example;
  }
}

TEST(Examples, EveryBuiltinHasOne) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->name.starts_with("__")) continue;
    EXPECT_FALSE(row->example.empty()) << row->name;
  }
}

// What touches the world says so in its row, and has no other way than the one that can be denied.
TEST(Examples, NoneTouchesTheWorldWhenAllIsDenied) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->needs == vm::Capability::None) continue;
    test::MemoryVm denied;
    denied.host.variables["HARN_DENY"] = row->needs == vm::Capability::Output ? "*, stdio" : "*";
    std::string answer = denied.evaluate("try {\n" + std::string(row->example) +
                                         "\n} catch (e: DeniedError) { \"${e.kind} ${e.code}\" }");
    std::string expected = fmt::format("denied {}", capability_name(row->needs));
    // One example catches the error, and is no longer true.
    EXPECT_TRUE(answer.starts_with(expected) || answer == "false") << row->name << ": " << answer;
    EXPECT_EQ(denied.host.out + denied.host.err, "") << row->name;
  }
}

TEST(Examples, OthersDoNotNeedTheWorld) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->needs != vm::Capability::None || row->example.empty()) continue;
    // Examples may use others that do: those are allowed here, so what is left is what the row itself does.
    test::MemoryVm denied;
    denied.host.variables["HARN_DENY"] = "random, stdio, fs, process, network";
    EXPECT_EQ(denied.evaluate(row->example), "true") << row->name << ": " << row->example;
  }
}

}  // namespace
}  // namespace harn
