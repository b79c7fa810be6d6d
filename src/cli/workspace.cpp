// `harn init`, `harn agent`, `harn skill`, `harn task` and `harn workspace`: agents in Markdown.
#include <algorithm>

#include "base/fmt.h"
#include "cli/commands.h"
#include "cli/workspace_program.h"

namespace harn::cli {

namespace {

using Actions = std::initializer_list<std::string_view>;

int run_action(const Arguments& arguments, std::string_view command, Actions actions) {
  std::string_view given = arguments.operands()[0];
  if (std::find(actions.begin(), actions.end(), given) != actions.end())
    return run_workspace_program(arguments, command);
  std::string known;
  for (std::string_view action : actions) known += (known.empty() ? "`" : ", `") + std::string(action) + "`";
  return report_usage(arguments, {fmt::format("unknown action `{}`; expected one of {}", given, known)});
}

int agent(const Arguments& arguments) { return run_action(arguments, "agent", {"list", "show", "chat"}); }
int skill(const Arguments& arguments) { return run_action(arguments, "skill", {"list", "show", "validate"}); }
int task(const Arguments& arguments) { return run_action(arguments, "task", {"list", "show", "run"}); }
int workspace(const Arguments& arguments) { return run_action(arguments, "workspace", {"check"}); }

int init(const Arguments& arguments) {
  if (!arguments.has("--agents"))
    return report_usage(arguments, {"`harn init` needs `--agents`: it makes a workspace of agents in Markdown"});
  return run_workspace_program(arguments, "init");
}

constexpr Option kModel = {.name = "--model", .value = "NAME", .help = "the model, one that the agent allows"};

constexpr Option kReadOptions[] = {kWorkspaceJson, kWorkspaceRoot};

constexpr Option kAgentOptions[] = {
    kWorkspaceJson, kWorkspaceRoot, kModel, {.name = "--resume", .value = "RUN", .help = "go on with an earlier chat"},
    kLlmMock,       kLlmMockRecord,
};

constexpr Option kTaskOptions[] = {
    kWorkspaceJson,
    kWorkspaceRoot,
    {.name = "--input", .value = "NAME=VALUE", .help = "a value for an input of the task; may be given several times"},
    {.name = "--agent", .value = "AGENT", .help = "who does it, instead of the agent that the task names"},
    kModel,
    kLlmMock,
    kLlmMockRecord,
};

constexpr Option kInitOptions[] = {
    {.name = "--agents", .help = "make .nanobot with an agent, a skill and a task of two steps"},
    kWorkspaceJson,
};

}  // namespace

constinit const Command kAgent = {
    .name = "agent",
    .summary = "List, show and talk to the agents of a workspace",
    .operands = {.shown = "list | show AGENT | chat [AGENT]", .least = 1, .most = 2},
    .options = kAgentOptions,
    .notes = R"(Agents are .nanobot/agents/**/AGENT.md; the id of one is the path of its folder.

In a chat, `/help` lists the commands. A line that ends with \ goes on.)",
    .run = agent,
};

constinit const Command kSkill = {
    .name = "skill",
    .summary = "List, show and validate the skills of a workspace",
    .operands = {.shown = "list | show SKILL | validate [SKILL]", .least = 1, .most = 2},
    .options = kReadOptions,
    .notes = "Skills are .nanobot/skills/**/SKILL.md, by the rules of Agent Skills.",
    .run = skill,
};

constinit const Command kTask = {
    .name = "task",
    .summary = "List, show and run the tasks of a workspace",
    .operands = {.shown = "list | show TASK | run TASK", .least = 1, .most = 2},
    .options = kTaskOptions,
    .notes =
        R"(Tasks are .nanobot/tasks/**/TASK.md, and the files that `next` leads to.

A call of a tool that no rule allows is asked about on the terminal. Without one the run pauses: `harn runs approve RUN` goes on.

Exit code: 0 completed, 1 failed or canceled, 75 paused for approval.)",
    .run = task,
};

constinit const Command kWorkspace = {
    .name = "workspace",
    .summary = "Check the agents, skills and tasks of a workspace",
    .operands = {.shown = "check", .least = 1, .most = 1},
    .options = kReadOptions,
    .notes = R"(Everything that is wrong is told at once, with its place and what to do.

Exit code: 1 when something is wrong.)",
    .run = workspace,
};

constinit const Command kInit = {
    .name = "init",
    .summary = "Make a small workspace of agents in Markdown",
    .operands = {},
    .options = kInitOptions,
    .notes = "Files that are there already are left alone.",
    .run = init,
};

}  // namespace harn::cli
