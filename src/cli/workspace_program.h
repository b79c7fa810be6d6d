#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/llm_fixtures.h"
#include "cli/options.h"

// Commands about a workspace (`.nanobot`): a line of Harn that calls src/std/workspace/commands.harn does their work.
namespace harn::cli {

// Options that these commands share.
inline constexpr Option kWorkspaceJson = {.name = "--json", .help = "write JSON"};
inline constexpr Option kWorkspaceRoot = {
    .name = "--root",
    .value = "DIR",
    .kind = ValueKind::Path,
    .help =
        "a folder of agents, skills and tasks (default: .nanobot); may be given several times, the first one counts"};

// Runs `command` (such as "task") with the words and options that were given, and what else it has to know as the JSON of a dict's entries, such
// as `"a":1`. The program may use the files of the folder that holds the workspace and, by a tool that asks first, the network; what it starts
// has no network. The value is the exit code.
int run_workspace_program(const Arguments& arguments, std::string_view command, std::string_view more = {});

// The folder that holds the workspace: the nearest one upwards with `.nanobot`, else that of the project, else the working directory.
std::string workspace_home();

}  // namespace harn::cli
