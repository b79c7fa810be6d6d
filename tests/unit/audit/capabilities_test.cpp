#include "audit/capabilities.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "builtins/registry.h"

namespace harn::audit {
namespace {

TEST(Capabilities, NamesThatAreKnownByHeartExist) {
  for (std::string_view name : builtins_known_by_name()) {
    EXPECT_TRUE(builtins::catalog().find(name)) << name;
  }
}

TEST(Capabilities, NamesAreSortedForTheSearch) {
  auto names = builtins_known_by_name();
  EXPECT_TRUE(std::is_sorted(names.begin() + 1, names.end()));
}

TEST(Capabilities, OtherWordsMeanTheSame) {
  EXPECT_EQ(find_capability("workspace.write"), Capability::FsWrite);
  EXPECT_EQ(find_capability("command"), Capability::ProcessExec);
  EXPECT_EQ(find_capability("connector"), Capability::McpConnector);
  EXPECT_EQ(find_capability("llm"), Capability::LlmModel);
  EXPECT_EQ(find_capability("worker"), Capability::WorkerDispatch);
  EXPECT_EQ(find_capability("teleport"), std::nullopt);
}

TEST(Capabilities, ComeFromTheRowsOfBuiltins) {
  auto of = [](std::string_view name) { return effect_of(name, builtins::catalog()).capabilities; };
  EXPECT_EQ(of("write_file"), std::vector{Capability::FsWrite});
  EXPECT_EQ(of("shell"), std::vector{Capability::ProcessExec});
  EXPECT_EQ(of("http_get"), std::vector{Capability::NetworkAccess});
  EXPECT_EQ(of("llm_call"), std::vector{Capability::LlmModel});
  EXPECT_TRUE(of("log").empty());
  EXPECT_EQ(effect_of("move_file", builtins::catalog()).written_paths, (std::vector<uint32_t>{0, 1}));
}

TEST(Capabilities, OperationsOfTheHost) {
  EXPECT_EQ(host_effect("workspace.write_text").capability, Capability::FsWrite);
  EXPECT_FALSE(host_effect("workspace.read_text").may_change);
  EXPECT_EQ(host_effect("process.run").capability, Capability::ProcessExec);
  EXPECT_TRUE(host_effect("unheard.of").may_change);
}

}  // namespace
}  // namespace harn::audit
