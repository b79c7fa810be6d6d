// `harn chat`: sessions (std/session) on a terminal. What is done is in src/std/session/commands.harn; here is what the process is told.
#include <algorithm>

#include "cli/command_program.h"
#include "cli/commands.h"
#include "cli/llm_fixtures.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/sandbox.h"
#include "cli/source_text.h"

namespace harn::cli {

namespace {

constexpr std::string_view kActions[] = {"list", "show", "export", "trace", "rm"};
// Options that are handed on as they are, under the names that std/session/commands has for them.
constexpr std::pair<std::string_view, std::string_view> kHandedOn[] = {
    {"--resume", "resume"}, {"--id", "id"}, {"--model", "model"}, {"--provider", "provider"}, {"--message", "message"}};

std::string program_text(const Arguments& arguments) {
  auto operands = arguments.operands();
  std::string given = fmt::format("json: {}", arguments.has("--json"));
  if (operands.size() > 1) given += fmt::format(", session: {}", literal_of(operands[1]));
  for (auto [option, name] : kHandedOn) {
    if (auto text = arguments.text(option)) given += fmt::format(", {}: {}", name, literal_of(*text));
  }
  return fmt::format(
      "import {{ chat_command }} from \"std/session/commands\"\n"
      "chat_command({}, {{{}}})\n",
      literal_of(operands.empty() ? "talk" : operands[0]), given);
}

std::optional<UsageError> misuse(const Arguments& arguments) {
  auto operands = arguments.operands();
  if (operands.empty()) {
    if (arguments.text("--resume") && arguments.text("--id"))
      return UsageError{"`--resume` and `--id` exclude each other", "--resume goes on with a session, --id begins one"};
    return std::nullopt;
  }
  if (std::ranges::find(kActions, operands[0]) == std::end(kActions))
    return UsageError{fmt::format("unknown action `{}`; expected list, show, export, trace or rm", operands[0]),
                      "`harn chat` alone begins a conversation"};
  if (operands[0] != "list" && operands.size() < 2)
    return UsageError{fmt::format("`harn chat {}` needs the id of a session", operands[0]),
                      "`harn chat list` lists them"};
  return std::nullopt;
}

int chat(const Arguments& arguments) {
  if (auto wrong = misuse(arguments)) return report_usage(arguments, *wrong);
  auto project = find_project("");
  if (!project) return fail_with(project.error().message);
  auto llm = llm_fixtures_of(arguments);
  if (!llm) return report_usage(arguments, llm.error());
  auto sandbox = sandbox_of(arguments, *project);
  if (!sandbox) return report_usage(arguments, sandbox.error());
  auto prepared = prepare({"<chat>", program_text(arguments)}, *project, *sandbox);
  if (!prepared) return kFailure;
  prepared->llm = std::move(*llm);
  prepared->name = "chat";
  prepared->is_talk = true;
  prepared->has_own_records = true;
  // Which hosts may be talked to is decided by the capabilities of the session.
  std::erase(prepared->settings.sandbox.deny, "network");
  for (const std::string& name : sandbox->deny) prepared->settings.sandbox.deny.push_back(name);
  return run_program(std::move(*prepared), false);
}

constexpr Option kOptions[] = {
    {.name = "--resume", .value = "ID", .help = "go on with a session"},
    {.name = "--id", .value = "ID", .help = "begin a session with this id, or go on with it"},
    {.name = "--model", .value = "MODEL", .help = "the model to talk to"},
    {.name = "--provider", .value = "NAME", .help = "its provider"},
    {.name = "--message", .value = "TEXT", .help = "say this, show the answer, and leave"},
    {.name = "--json", .help = "write JSON, one object a line"},
    kLlmMock,
    kLlmMockRecord,
};

}  // namespace

constinit const Command kChat = {
    .name = "chat",
    .summary = "Talk with a model in a session that is kept",
    .operands = {.shown = "[ACTION [ID]]", .least = 0, .most = 2},
    .options = kOptions,
    .notes =
        R"(Without ACTION it begins a conversation, or goes on with one. It is saved after each step in .harn/sessions/ID.
`/help` in the conversation lists what else may be said. Options of sessions are in .harn/chat.json.

ACTION is one of
  list       the sessions of this project
  show       the state of a session and its last messages
  export     all messages of a session, as Markdown (or JSON)
  trace      what happened in a session, as a timeline
  rm         remove a session

Exit code: 1 when something is wrong.)",
    .run = chat,
};

}  // namespace harn::cli
