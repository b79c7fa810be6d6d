#include "cli/workspace_program.h"

#include <unistd.h>

#include "cli/command_program.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/sandbox.h"
#include "modules/path.h"

namespace harn::cli {

namespace {

constexpr std::string_view kProgram =
    "import { workspace_command } from \"std/workspace/commands\"\n"
    "workspace_command(argv[0], json_parse(argv[1]))\n";
// Apart from the others, which need no terminal and start sooner without it.
constexpr std::string_view kChatProgram =
    "import { chat_command } from \"std/workspace/chat\"\n"
    "chat_command(json_parse(argv[1]))\n";

std::string list_json(const std::vector<std::string_view>& texts) {
  std::string out = "[";
  for (std::string_view text : texts) out += (out.size() > 1 ? "," : "") + JsonWriter().text(text).take();
  return out + "]";
}

// {"words": [...], "options": {"input": [...], "json": [""]}}
std::string given_json(const Arguments& arguments, std::string_view more) {
  std::string options;
  for (const Option& option : arguments.command().options) {
    auto values = arguments.texts(option.name);
    if (values.empty()) continue;
    options += (options.empty() ? "" : ",") + JsonWriter().text(option.name.substr(2)).take() + ":" + list_json(values);
  }
  return fmt::format(R"({{{}{}"words":{},"options":{{{}}}}})", more, more.empty() ? "" : ",",
                     list_json(arguments.operands()), options);
}

}  // namespace

std::string workspace_home() {
  std::string start = real_path(".").value_or("/");
  for (std::string at = start;; at = modules::path::directory(at)) {
    if (exists(modules::path::join(at, ".nanobot"))) return at;
    if (at == "/" || exists(modules::path::join(at, ".git"))) break;
  }
  auto project = find_project("");
  return project ? project->root : start;
}

int run_workspace_program(const Arguments& arguments, std::string_view command, std::string_view more) {
  std::string home = workspace_home();
  auto project = find_project(modules::path::join(home, ".nanobot"));
  if (!project) return fail_with(project.error().message);
  project->root = home;
  project->state.kind = effects::StateHome::Kind::Project;  // what runs leave behind is looked for later
  project->state.folder = home;
  auto sandbox = sandbox_of(arguments, *project);
  if (!sandbox) return report_usage(arguments, sandbox.error());
  sandbox->has_network = true;
  auto llm = llm_fixtures_of(arguments);
  if (!llm) return report_usage(arguments, llm.error());
  // Paths in what models say are relative to the workspace.
  if (chdir(home.c_str()) != 0) return fail_with(fmt::format("cannot go to {}", home));
  bool is_chat = command == "agent" && arguments.operands()[0] == "chat";
  auto prepared =
      prepare({"<workspace>", std::string(is_chat ? kChatProgram : kProgram), {.while_limit = 0}}, *project, *sandbox);
  if (!prepared) return kFailure;
  std::string given = given_json(arguments, more);  // outlives the program's `argv`
  prepared->surroundings.args = {command, given};
  prepared->llm = std::move(*llm);
  prepared->is_talk = is_chat;
  prepared->has_own_records = true;
  return run_program(std::move(*prepared), false);
}

}  // namespace harn::cli
