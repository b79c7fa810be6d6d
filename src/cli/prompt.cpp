// `harn prompt`: what a program's prompt templates (std/prompt) are made of. The program's file is imported, so that its top level runs, by
// a few lines that ask src/std/prompt/commands.harn.
#include <filesystem>

#include "cli/command_program.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/prompt_cache.h"
#include "cli/sandbox.h"
#include "cli/source_text.h"

namespace harn::cli {

namespace {

constexpr std::string_view kActions[] = {"list", "render", "check", "diff", "overrides", "cache"};

std::string program_text(const Arguments& arguments, const std::string& file) {
  auto operands = arguments.operands();
  std::string given = fmt::format("json: {}", arguments.has("--json"));
  if (operands.size() > 2) given += fmt::format(", key: {}", literal_of(operands[2]));
  if (auto tag = arguments.text("--tag")) given += fmt::format(", tag: {}", literal_of(*tag));
  if (auto params = arguments.text("--params")) given += fmt::format(", params: {}", literal_of(*params));
  return fmt::format(
      "import {{ prompt_command }} from \"std/prompt/commands\"\n"
      "import {{ }} from {}\n"
      "prompt_command({}, {{{}}})\n",
      literal_of(file), literal_of(operands[0]), given);
}

int prompt(const Arguments& arguments) {
  auto operands = arguments.operands();
  if (std::ranges::find(kActions, operands[0]) == std::end(kActions))
    return report_usage(
        arguments, {.message = fmt::format(
                        "unknown action `{}`; expected list, render, check, diff, overrides or cache", operands[0])});
  if (operands[0] == "cache") return prompt_cache(arguments);
  std::error_code problem;
  auto file = std::filesystem::absolute(std::string(operands[1]), problem);
  if (problem || !std::filesystem::exists(file, problem))
    return fail_with(fmt::format("there is no file {}", operands[1]));
  auto project = find_project(file.string());
  if (!project) return fail_with(project.error().message);
  auto sandbox = sandbox_of(arguments, *project);
  if (!sandbox) return report_usage(arguments, sandbox.error());
  auto library = library_of(*sandbox);
  auto prepared = prepare({"<prompt>", program_text(arguments, file.string())}, *project, *sandbox, library.get());
  if (!prepared) return kFailure;
  prepared->warnings = sandbox_warning(*sandbox);
  return run_program(std::move(*prepared), false);
}

constexpr Option kOptions[] = {
    {.name = "--json", .help = "write JSON"},
    {.name = "--params",
     .value = "JSON",
     .help = "what is bound, by the names of structs: {\"Task\": {\"goal\": \"...\"}}"},
    {.name = "--tag", .value = "TAG", .help = "the tag of the overrides"},
    kNoSandbox,
    kReadOnlyRoot,
    kAllow,
    kDeny,
    kAsk,
};

}  // namespace

constinit const Command kPrompt = {
    .name = "prompt",
    .summary = "List, render and check the typed prompts of a file",
    .operands = {.shown = "ACTION FILE [NS/KEY]", .least = 2, .most = 3},
    .options = kOptions,
    .notes =
        R"(ACTION is one of
  list       the prompts that FILE makes at its top level
  render     the text of one, with --params and the overrides of --tag
  check      what can be seen to be wrong, and stable text behind volatile text
  diff       the texts that overrides replace, and what they put there
  overrides  all overrides in the state root, and whether they still fit
  cache      how much of each request to a model began as the one before; FILE is a recording (`harn run --record`)

The top level of FILE runs, in the same sandbox as with `harn run`.

Exit code: 1 when something is wrong.)",
    .run = prompt,
};

}  // namespace harn::cli
