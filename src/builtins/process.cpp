// Child processes. They run on fibers: the functions here read as if they blocked.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "effects/process.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// The first word that is a program: arguments and assignments before it may hold secrets.
std::string program_of(std::string_view command) {
  while (!command.empty()) {
    command = text::trim(command);
    std::string_view word = command.substr(0, command.find_first_of(" \t\n;|&<>()"));
    if (word.empty()) break;
    if (!word.contains('=')) return std::string(word);
    command.remove_prefix(word.size());
  }
  return "shell";
}

Outcome<Value> run(Call& call, effects::RunProcess request) {
  auto result = HARN_TRY(effects::perform(effects::Run::current(call.vm()), request));
  return DictBuilder()
      .add("stdout", text_value(text::to_valid_utf8(result.out)))
      .add("stderr", text_value(text::to_valid_utf8(result.err)))
      .add("status", Value::integer(result.status))
      .add("success", Value::boolean(result.status == 0))
      .done();
}

Outcome<Value> run_words(Call& call, uint32_t first, std::string directory) {
  effects::RunProcess request{.what = "exec", .directory = std::move(directory)};
  for (uint32_t i = first; i < call.count(); ++i) request.words.push_back(display(call.arg(i)));
  request.program = request.words[0];
  return run(call, std::move(request));
}

Outcome<Value> run_shell(Call& call, const Value& command, std::string directory) {
  std::string text = display(command);
  return run(call, {.what = "shell",
                    .words = {"/bin/sh", "-c", text},
                    .directory = std::move(directory),
                    .program = program_of(text)});
}

bool is_given(const Call& call, uint32_t index) {
  return call.has(index) && !call.arg(index).is_nil() && !display(call.arg(index)).empty();
}

Outcome<Value> exec(Call& call) {
  if (!is_given(call, 0)) return throw_text(ErrorKind::Type, "exec: command is required");
  return run_words(call, 0, "");
}

Outcome<Value> exec_at(Call& call) {
  if (!is_given(call, 0) || !is_given(call, 1))
    return throw_text(ErrorKind::Type, "exec_at: directory and command are required");
  return run_words(call, 1, display(call.arg(0)));
}

Outcome<Value> shell(Call& call) {
  if (!is_given(call, 0)) return throw_text(ErrorKind::Type, "shell: command string is required");
  return run_shell(call, call.arg(0), "");
}

Outcome<Value> shell_at(Call& call) {
  if (!is_given(call, 0) || !is_given(call, 1)) {
    return throw_text(ErrorKind::Type, "shell_at: directory and command string are required");
  }
  return run_shell(call, call.arg(1), display(call.arg(0)));
}

// Like an error that nothing catches: what was begun is cleaned up on the way.
Outcome<Value> exit_program(Call& call) {
  return std::unexpected(new_error(ErrorClass::Exit, Value::integer(HARN_TRY(call.integer_or(0, 0)))));
}

constinit const Builtin kRows[] = {
    {.name = "__exec",
     .signature = "(...words: any) -> dict",
     .doc = "exec, whatever the policies for commands say.",
     .example = "__exec(\"true\").success",
     .needs = Capability::Process,
     .wait = on_fiber<exec>},
    {.name = "__exec_at",
     .signature = "(...words: any) -> dict",
     .doc = "The same for exec_at.",
     .example = "__exec_at(\"/\", \"true\").success",
     .needs = Capability::Process,
     .wait = on_fiber<exec_at>},
    {.name = "__shell",
     .signature = "(command?: string) -> dict",
     .doc = "The same for shell.",
     .example = "__shell(\"exit 3\").status == 3",
     .needs = Capability::Process,
     .wait = on_fiber<shell>},
    {.name = "__shell_at",
     .signature = "(directory?: string, command?: string) -> dict",
     .doc = "The same for shell_at.",
     .example = "__shell_at(\"/\", \"true\").success",
     .needs = Capability::Process,
     .wait = on_fiber<shell_at>},
    {.name = "exec",
     .signature = "(...words: any) -> dict",
     .doc = "exec(command, args...): runs a program, gives {stdout, stderr, status, success}; a stopped task kills it.",
     .example = "exec(\"echo\", \"hi\").stdout == \"hi\\n\"",
     .needs = Capability::Process,
     .prelude = "process:exec"},
    {.name = "exec_at",
     .signature = "(...words: any) -> dict",
     .doc = "exec_at(directory, command, args...): exec in a directory.",
     .example = "exec_at(\"/\", \"pwd\").stdout == \"/\\n\"",
     .needs = Capability::Process,
     .prelude = "process:exec_at"},
    {.name = "exit",
     .signature = "(code?: int) -> never",
     .doc = "Ends the program with an exit code, 0 by default, after its `defer` and `finally` blocks.",
     .example = "type_of(exit) == \"builtin\"",
     .call = exit_program},
    {.name = "shell",
     .signature = "(command?: string) -> dict",
     .doc = "Runs a line of shell (`/bin/sh -c`); gives what exec gives.",
     .example = "shell(\"exit 3\").status == 3",
     .needs = Capability::Process,
     .prelude = "process:shell"},
    {.name = "shell_at",
     .signature = "(directory?: string, command?: string) -> dict",
     .doc = "Runs a line of shell in a directory.",
     .example = "shell_at(\"/\", \"pwd | tr / x\").stdout == \"x\\n\"",
     .needs = Capability::Process,
     .prelude = "process:shell_at"},
};

}  // namespace

std::span<const Builtin> process_rows() { return kRows; }

}  // namespace harn::builtins
