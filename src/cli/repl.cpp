#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "builtins/registry.h"
#include "cli/commands.h"
#include "cli/line_editor.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/repl_session.h"
#include "syntax/lexer.h"

namespace harn::cli {

namespace {

constexpr std::string_view kHelp =
    R"(Type Harn code; the value of an expression is shown and kept as _1, _2, ...
An input goes on over several lines until its brackets and strings are closed.

  :type EXPR  run EXPR and show the type of its value
  :help       show this help
  :quit       leave (or Ctrl-D)

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
  else
    host.write(vm::Stream::Err,
               fmt::format("error: unknown command `{}`; `:help` lists them\n", command));
  return Next::GoOn;
}

// A whole input: a command of ours, or code.
Next take(ReplSession& session, ProcessHost& host, std::string_view input) {
  std::string_view text = text::trim(input);
  if (text.empty()) return Next::GoOn;
  if (text.starts_with(':')) return obey(session, host, text);
  session.evaluate(input);
  return Next::GoOn;
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
    input += line.text + "\n";
    if (syntax::is_incomplete_input(input)) continue;
    if (take(session, host, input) == Next::Leave) return;
    input.clear();
  }
  host.write(vm::Stream::Out, "\n");
}

// Input from a pipe: the program's own reads come from the same lines.
void run_on_pipe(ReplSession& session, ProcessHost& host) {
  std::string input, line;
  while (host.read_line(line)) {
    input += line + "\n";
    if (syntax::is_incomplete_input(input)) continue;
    if (take(session, host, input) == Next::Leave) return;
    input.clear();
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
