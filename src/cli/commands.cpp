#include "cli/commands.h"

#include "base/fmt.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/output.h"

namespace harn::cli {

static constexpr const Command* kCommands[] = {
    &kRun,  &kServe,     &kReplay,  &kResume,   &kTest,   &kFmt,        &kCheck,       &kLint,    &kLsp,    &kFix,
    &kRepl, &kBench,     &kExplain, &kBuiltins, &kDisasm, &kParse,      &kTokens,      &kRuns,    &kPrompt, &kChat,
    &kInit, &kWorkspace, &kAgent,   &kSkill,    &kTask,   &kMockServer, &kCompletions, &kVersion,
};

std::span<const Command* const> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  for (const Command* command : kCommands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

namespace {

using Words = std::span<const std::string_view>;

std::string general_help() {
  std::string out = "harn " HARN_VERSION
                    ", a language for programs that orchestrate agents\n\n"
                    "Usage: harn COMMAND [OPTIONS]\n"
                    "       harn FILE.harn [ARGS...]\n\n"
                    "Commands:\n";
  for (const Command* command : kCommands) {
    out += fmt::format("  {:<12}  {}\n", command->name, command->summary);
  }
  return out + "\nRun `harn COMMAND --help` for what a command takes.\n";
}

int run_command(const Command& command, Words words) {
  auto arguments = Arguments::parse(command, words);
  if (!arguments) return report_usage(command, arguments.error());
  if (arguments->wants_help()) {
    write_out(command_help(command));
    return kSuccess;
  }
  return command.run(*arguments);
}

// `harn FILE ARGS...`: everything after the file belongs to the program, as a `#!` line needs it.
int run_script(Words words) {
  std::vector<std::string_view> all = {words[0], "--"};
  Words rest = words.subspan(1);
  if (!rest.empty() && rest[0] == "--") rest = rest.subspan(1);
  all.insert(all.end(), rest.begin(), rest.end());
  return run_command(kRun, all);
}

int report_unknown(std::string_view word) {
  bool is_flag = word.starts_with('-');
  std::vector<std::string_view> names = {"--help", "--version"};
  if (!is_flag) names.clear();
  for (const Command* command : kCommands) {
    if (!is_flag) names.push_back(command->name);
  }
  std::string out = fmt::format("{}: unknown {} `{}`\n", error_word(), is_flag ? "flag" : "command", word);
  auto close = text::close_names(word, names);
  if (!close.empty()) out += fmt::format("help: did you mean `{}`?\n", close[0]);
  write_error(out + "usage: harn COMMAND [OPTIONS]\nRun `harn --help` to see all commands.\n");
  return kUsage;
}

int help_of(Words words) {
  if (words.empty()) {
    write_out(general_help());
    return kSuccess;
  }
  const Command* command = find_command(words[0]);
  if (!command) return report_unknown(words[0]);
  write_out(command_help(*command));
  return kSuccess;
}

// A word that is no command may still name a script: by its ending, or because the file is there.
bool names_script(std::string_view word) {
  if (word.starts_with('-')) return false;
  if (word.ends_with(".harn")) return true;
  std::string path(word);
  return exists(path) && !is_directory(path);
}

}  // namespace

int run_command_line(Words words) {
  if (words.empty()) return help_of({});
  std::string_view first = words[0];
  if (first == "--help" || first == "-h") return help_of({});
  if (first == "help") return help_of(words.subspan(1));
  if (first == "--version" || first == "-V") return run_command(kVersion, {});
  if (first == "-" || first == "-e") return run_command(kRun, words);
  if (const Command* command = find_command(first)) return run_command(*command, words.subspan(1));
  if (names_script(first)) return run_script(words);
  return report_unknown(first);
}

}  // namespace harn::cli
