#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "builtins/registry.h"
#include "cli/commands.h"
#include "cli/line_editor.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/repl_session.h"
#include "syntax/input.h"
#include "syntax/token.h"

namespace harn::cli {

namespace {

constexpr std::string_view kHelp =
    R"(Type Harn code; the value of an expression is shown and kept as _1, _2, ...
An input goes on over several lines until its brackets and strings are closed and its last operator has
what it needs. After a block of several lines an empty line ends the input, or `else` goes on with it.

  :type EXPR  run EXPR and show the type of its value
  :help       show this help (or `help`)
  :quit       leave (or `quit`, `exit`, Ctrl-D)

Ctrl-C stops the running input, or drops the line you are typing.
)";

std::vector<std::string> completions_of(const ReplSession& session, std::string_view prefix) {
  std::vector<std::string> out;
  auto offer = [&](std::string_view name) {
    if (name.starts_with(prefix) && !name.starts_with("__")) out.emplace_back(name);
  };
  for (std::string_view word : syntax::keywords()) offer(word);
  for (std::string_view name : builtins::catalog().names()) offer(name);
  for (std::string_view name : session.names()) offer(name);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

enum class Next { GoOn, Leave };

Next obey(ReplSession& session, ProcessHost& host, std::string_view command) {
  if (command == ":quit" || command == ":q" || command == ":exit") return Next::Leave;
  if (command == ":help" || command == ":h") host.write(vm::Stream::Out, kHelp);
  else if (command.starts_with(":type ")) session.show_type(command.substr(6));
  else host.write(vm::Stream::Err, fmt::format("error: unknown command `{}`; `:help` lists them\n", command));
  return Next::GoOn;
}

// The command that a word without a colon most likely means; empty when the program has that name.
std::string_view command_meant(const ReplSession& session, std::string_view text) {
  if (text.ends_with("()")) text.remove_suffix(2);
  auto names = session.names();
  if (std::find(names.begin(), names.end(), text) != names.end()) return {};
  if (text == "exit" || text == "quit") return ":quit";
  return text == "help" ? ":help" : std::string_view();
}

// A whole input: a command of ours, or code.
Next take(ReplSession& session, ProcessHost& host, std::string_view input) {
  std::string_view text = text::trim(input);
  if (text.empty()) return Next::GoOn;
  if (text.starts_with(':')) return obey(session, host, text);
  if (auto command = command_meant(session, text); !command.empty()) return obey(session, host, command);
  session.evaluate(input);
  return Next::GoOn;
}

bool is_blank(std::string_view line) { return text::trim(line).empty(); }

// An empty line ends what is not held open by a bracket.
bool waits_for_more(std::string_view input, std::string_view last_line) {
  auto state = syntax::input_state(input);
  return state == syntax::InputState::Open || (state == syntax::InputState::Unfinished && !is_blank(last_line));
}

// On a terminal nobody knows what the next line will be: a block of several lines waits for it.
bool waits_for_else(std::string_view input) {
  return std::count(input.begin(), input.end(), '\n') > 1 &&
         syntax::input_state(input) == syntax::InputState::MayGoOn && !input.ends_with("\n\n");
}

void run_on_terminal(ReplSession& session, ProcessHost& host) {
  host.write(vm::Stream::Out, "harn " HARN_VERSION "; `:help` for help, Ctrl-D to leave\n");
  LineEditor editor([&](std::string_view prefix) { return completions_of(session, prefix); });
  std::string input;
  for (;;) {
    auto line = editor.read(input.empty() ? "harn> " : "  ... ");
    if (line.ended == LineEditor::Ended::Interrupt) {
      input.clear();
      continue;
    }
    if (line.ended) break;
    editor.remember(line.text);
    bool held = waits_for_else(input);
    if (held && !syntax::continues_block(line.text)) {
      if (take(session, host, std::exchange(input, "")) == Next::Leave) return;
    }
    input += line.text + "\n";
    if (waits_for_more(input, line.text) || waits_for_else(input)) continue;
    if (take(session, host, std::exchange(input, "")) == Next::Leave) return;
  }
  take(session, host, input);
  host.write(vm::Stream::Out, "\n");
}

// Input from a pipe: the program's own reads come from the same lines.
void run_on_pipe(ReplSession& session, ProcessHost& host) {
  std::string input, line;
  while (host.read_line(line)) {
    input += line + "\n";
    if (waits_for_more(input, line)) continue;
    std::string next;
    if (syntax::input_state(input) == syntax::InputState::MayGoOn && host.peek_line(next) &&
        syntax::continues_block(next)) {
      continue;
    }
    if (take(session, host, std::exchange(input, "")) == Next::Leave) return;
  }
  take(session, host, input);  // what is still open becomes an error message
}

int repl(const Arguments& arguments) {
  auto project = find_project("");
  if (!project) return fail_with(project.error().message);
  auto limit = while_limit(*project, arguments.number("--while-limit"));
  if (!limit) return report_usage(arguments.command(), {limit.error().message, ""});
  ProcessHost host;
  ReplSession session(host, {.while_limit = *limit});
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) run_on_terminal(session, host);
  else run_on_pipe(session, host);
  session.end();
  host.flush();
  return host.output_error() != 0 ? output_failed(host.output_error()) : kSuccess;
}

constexpr Option kOptions[] = {
    {.name = "--while-limit",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "passes one `while` may make (default 10000, 0: no limit)"},
};

}  // namespace

constinit const Command kRepl = {
    .name = "repl",
    .summary = "Try code interactively",
    .options = kOptions,
    .notes =
        R"(Reads code line by line and shows what it gives. The history is kept in ~/.harn/repl_history.
Without a terminal it reads standard input and prints no prompts.)",
    .run = repl,
};

}  // namespace harn::cli
