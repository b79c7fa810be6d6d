#include "base/fmt.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace harn::cli {

namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string out;
  for (std::string_view word : words) out += fmt::format("{}{}", out.empty() ? "" : " ", word);
  return out;
}

std::string command_names() {
  std::string out;
  for (const Command* command : commands()) out += fmt::format("{} ", command->name);
  return out + "help --help --version";
}

// ---- bash ----

std::string bash_flags(const Command& command) {
  std::string out = "--help";
  for (const Option& option : command.options) out += fmt::format(" {}", option.name);
  return out;
}

// What may follow a flag that takes a value.
std::string bash_values(const Command& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (option.value.empty()) continue;
    std::string pattern = option.name.starts_with("--") && option.letter
                              ? fmt::format("{}|-{}", option.name, option.letter)
                              : std::string(option.name);
    std::string reply = option.kind == ValueKind::Path ? "$(compgen -f -- \"$word\")"
                        : option.kind == ValueKind::Choice
                            ? fmt::format("$(compgen -W '{}' -- \"$word\")", joined(option.choices))
                            : "";
    out += fmt::format("        {}) COMPREPLY=({}); return ;;\n", pattern, reply);
  }
  return out;
}

std::string bash_script() {
  std::string cases;
  for (const Command* command : commands()) {
    cases += fmt::format("    {})\n      flags='{}'\n", command->name, bash_flags(*command));
    if (command->operands.kind == ValueKind::Choice) {
      cases += fmt::format("      words='{}'\n", joined(command->operands.choices));
    }
    std::string values = bash_values(*command);
    if (!values.empty()) cases += fmt::format("      case \"$previous\" in\n{}      esac\n", values);
    cases += "      ;;\n";
  }
  return fmt::format(R"(# bash completion for harn. Load it with: source <(harn completions bash)
_harn() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} flags= words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$word") $(compgen -f -X '!*.harn' -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}    help) words='{}' ;;
  esac
  if [ "${{word:0:1}}" = - ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -X '!*.harn' -- "$word") $(compgen -d -- "$word"))
  fi
}}
complete -o filenames -F _harn harn
)",
                     command_names(), cases, command_names());
}

// ---- zsh ----

// Inside single quotes; brackets and colons are syntax of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') out += "'\\''";
    else if (c == '[' || c == ']' || c == ':') out += {'\\', c};
    else out += c;
  }
  return out;
}

std::string zsh_option(const Option& option) {
  std::string value;
  if (!option.value.empty()) {
    std::string action = option.kind == ValueKind::Path     ? "_files"
                         : option.kind == ValueKind::Choice ? fmt::format("({})", joined(option.choices))
                                                            : " ";
    value = fmt::format(":{}:{}", option.value, action);
  }
  std::string out = fmt::format("      '{}[{}]{}' \\\n", option.name, zsh_text(option.help), value);
  if (option.letter && option.name.starts_with("--")) {
    out += fmt::format("      '-{}[{}]{}' \\\n", option.letter, zsh_text(option.help), value);
  }
  return out;
}

std::string zsh_script() {
  std::string names, cases;
  for (const Command* command : commands()) {
    names += fmt::format("    '{}:{}'\n", command->name, zsh_text(command->summary));
    cases += fmt::format("    {}) _arguments \\\n", command->name);
    for (const Option& option : command->options) cases += zsh_option(option);
    const Operands& operands = command->operands;
    std::string action =
        operands.kind == ValueKind::Choice ? fmt::format("({})", joined(operands.choices)) : "_files -g \"*.harn\"";
    cases += "      '(-h --help)'{-h,--help}'[show this help]' \\\n";
    cases += fmt::format("      '*:argument:{}' ;;\n", action);
  }
  return fmt::format(R"(#compdef harn
# zsh completion for harn. Save it as _harn in a folder of $fpath.
_harn() {{
  local -a names
  names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command names
    _files -g '*.harn'
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
compdef _harn harn
)",
                     names, cases);
}

// ---- fish ----

std::string fish_text(std::string_view text) { return text::replace_all(text, "'", "\\'"); }

std::string fish_option(const Command& command, const Option& option) {
  std::string out = fmt::format("complete -c harn -n '__fish_seen_subcommand_from {}'", command.name);
  if (option.name.starts_with("--")) out += fmt::format(" -l {}", option.name.substr(2));
  if (option.letter) out += fmt::format(" -s {}", option.letter);
  if (!option.value.empty()) out += option.kind == ValueKind::Path ? " -r -F" : " -x";
  if (option.kind == ValueKind::Choice) out += fmt::format(" -a '{}'", joined(option.choices));
  return out + fmt::format(" -d '{}'\n", fish_text(option.help));
}

std::string fish_script() {
  std::string out = "# fish completion for harn. Save it as ~/.config/fish/completions/harn.fish\n";
  for (const Command* command : commands()) {
    out += fmt::format("complete -c harn -n __fish_use_subcommand -a {} -d '{}'\n", command->name,
                       fish_text(command->summary));
    for (const Option& option : command->options) out += fish_option(*command, option);
    if (command->operands.kind == ValueKind::Choice) {
      out += fmt::format("complete -c harn -n '__fish_seen_subcommand_from {}' -x -a '{}'\n", command->name,
                         joined(command->operands.choices));
    }
  }
  return out + "complete -c harn -s h -l help -d 'show help'\n";
}

int completions(const Arguments& arguments) {
  std::string_view shell = arguments.operands()[0];
  write_out(shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : fish_script());
  return kSuccess;
}

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

}  // namespace

constinit const Command kCompletions = {
    .name = "completions",
    .summary = "Print a completion script for a shell",
    .operands = {.shown = "bash|zsh|fish", .least = 1, .most = 1, .kind = ValueKind::Choice, .choices = kShells},
    .notes = "For bash: source <(harn completions bash)",
    .run = completions,
};

}  // namespace harn::cli
