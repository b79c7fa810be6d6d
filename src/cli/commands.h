#pragma once

#include <span>

#include "cli/options.h"

// All commands, one file each.
namespace harn::cli {

extern const Command kRun, kServe, kReplay, kResume, kTest, kFmt, kCheck, kLint, kLsp, kFix, kRepl, kBench, kExplain,
    kBuiltins, kDisasm, kParse, kTokens, kMockServer, kRuns, kPrompt, kChat, kAgent, kSkill, kTask, kWorkspace, kInit,
    kCompletions, kVersion;

// In the order the help shows them.
std::span<const Command* const> commands();
const Command* find_command(std::string_view name);

// The whole program: picks the command and runs it; the value is the exit code.
int run_command_line(std::span<const std::string_view> words);

}  // namespace harn::cli
