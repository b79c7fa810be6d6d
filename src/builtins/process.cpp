// Child processes. They run on fibers: the functions here read as if they blocked.
#include "net/process.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "effects/gate.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::builtins {

using namespace vm;

namespace {

// How long a task that is stopped waits for its killed child to be gone.
constexpr Nanoseconds kKillTime = 1'500 * kMillisecond;

// What the task and the I/O thread share.
struct Run {
  Completion completion;
  net::ProcessResult result;
};

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

Value result_value(const net::ProcessResult& result) {
  return DictBuilder()
      .add("stdout", text_value(text::to_valid_utf8(result.out)))
      .add("stderr", text_value(text::to_valid_utf8(result.err)))
      .add("status", Value::integer(result.status))
      .add("success", Value::boolean(result.status == 0))
      .done();
}

Outcome<Value> wait_for(net::ProcessId id, Run& run, const char* what, const std::string& program) {
  if (run.completion.wait(what, text_value(program)) == Wake::Cancelled) {
    net::kill_process(id);
    Scheduler& scheduler = *Scheduler::current().scheduler;
    run.completion.wait(what, {}, scheduler.clock().now() + kKillTime);
    return stopped_error();
  }
  if (run.result.wrote_too_much) return throw_text("{} failed: `{}` wrote more than 256 MiB", what, program);
  if (run.result.no_memory) return runtime_error("out of memory (the output of `{}`)", program);
  return result_value(run.result);
}

// `what` is "exec" or "shell"; `program` goes into messages.
Outcome<Value> run(Call& call, net::ProcessSpec spec, const char* what, const std::string& program) {
  std::string command;
  for (const std::string& word : spec.words) command += (command.empty() ? "" : " ") + word;
  HARN_CHECK(effects::pass(call, {.capability = "process.exec", .subject = command, .shown = program}));
  auto shared = std::make_shared<Run>();
  auto id = net::start_process(std::move(spec), [shared](net::ProcessResult result) {
    shared->result = std::move(result);
    shared->completion.finish();
  });
  if (!id) return throw_text("{} failed: {}", what, id.error().message);
  return wait_for(*id, *shared, what, program);
}

Outcome<Value> run_words(Call& call, uint32_t first, std::string directory) {
  net::ProcessSpec spec;
  spec.directory = std::move(directory);
  for (uint32_t i = first; i < call.count(); ++i) spec.words.push_back(display(call.arg(i)));
  std::string program = spec.words[0];
  return run(call, std::move(spec), "exec", program);
}

Outcome<Value> run_shell(Call& call, const Value& command, std::string directory) {
  net::ProcessSpec spec;
  std::string text = display(command);
  spec.directory = std::move(directory);
  spec.words = {"/bin/sh", "-c", text};
  return run(call, std::move(spec), "shell", program_of(text));
}

bool is_given(const Call& call, uint32_t index) {
  return call.has(index) && !call.arg(index).is_nil() && !display(call.arg(index)).empty();
}

Outcome<Value> exec(Call& call) {
  if (!is_given(call, 0)) return throw_text("exec: command is required");
  return run_words(call, 0, "");
}

Outcome<Value> exec_at(Call& call) {
  if (!is_given(call, 0) || !is_given(call, 1)) return throw_text("exec_at: directory and command are required");
  return run_words(call, 1, display(call.arg(0)));
}

Outcome<Value> shell(Call& call) {
  if (!is_given(call, 0)) return throw_text("shell: command string is required");
  return run_shell(call, call.arg(0), "");
}

Outcome<Value> shell_at(Call& call) {
  if (!is_given(call, 0) || !is_given(call, 1)) {
    return throw_text("shell_at: directory and command string are required");
  }
  return run_shell(call, call.arg(1), display(call.arg(0)));
}

constinit const Builtin kRows[] = {
    {.name = "exec",
     .signature = "(...words: any) -> dict",
     .doc = "exec(command, args...): runs a program, gives {stdout, stderr, status, success}; a stopped task kills it.",
     .example = "exec(\"echo\", \"hi\").stdout == \"hi\\n\"",
     .needs = Capability::Process,
     .wait = on_fiber<exec>},
    {.name = "exec_at",
     .signature = "(...words: any) -> dict",
     .doc = "exec_at(directory, command, args...): exec in a directory.",
     .example = "exec_at(\"/\", \"pwd\").stdout == \"/\\n\"",
     .needs = Capability::Process,
     .wait = on_fiber<exec_at>},
    {.name = "shell",
     .signature = "(command?: string) -> dict",
     .doc = "Runs a line of shell (`/bin/sh -c`); gives what exec gives.",
     .example = "shell(\"exit 3\").status == 3",
     .needs = Capability::Process,
     .wait = on_fiber<shell>},
    {.name = "shell_at",
     .signature = "(directory?: string, command?: string) -> dict",
     .doc = "Runs a line of shell in a directory.",
     .example = "shell_at(\"/\", \"pwd | tr / x\").stdout == \"x\\n\"",
     .needs = Capability::Process,
     .wait = on_fiber<shell_at>},
};

}  // namespace

std::span<const Builtin> process_rows() { return kRows; }

}  // namespace harn::builtins
