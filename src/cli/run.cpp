#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"
#include "data/json.h"
#include "builtins/registry.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/engine.h"
#include "cli/event_host.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/project.h"
#include "net/process.h"

namespace harn::cli {

namespace {

// Where the program's text comes from.
struct Source {
  std::string file;  // empty for -e and standard input
  std::unique_ptr<Loaded> loaded;
};

Result<Source> load_source(const Arguments& arguments) {
  if (auto code = arguments.text("-e")) return Source{"", load_text("<eval>", std::string(*code))};
  std::string path(arguments.operands()[0]);
  if (path == "-") {
    auto text = HARN_TRY(read_standard_input());
    return Source{"", load_text("<stdin>", std::move(text))};
  }
  auto loaded = HARN_TRY(load_file(path));
  return Source{path, std::move(loaded)};
}

Surroundings surroundings_of(const Arguments& arguments, const Project& project) {
  Surroundings out;
  const auto& operands = arguments.operands();
  size_t script_words = arguments.has("-e") ? 0 : 1;
  out.args.assign(operands.begin() + static_cast<ptrdiff_t>(script_words), operands.end());
  out.args.insert(out.args.end(), arguments.rest().begin(), arguments.rest().end());
  if (const char* task = getenv("HARN_TASK")) out.task = task;
  out.project_root = project.root;
  return out;
}

std::string_view signal_text(int number) {
  return number == SIGTERM ? "harn: terminated\n" : number == SIGHUP ? "harn: hung up\n" : "harn: interrupted\n";
}

// Tells standard error how the run ended; the value is the exit code.
int report_ending(ProcessHost& host, const Ending& ending) {
  host.flush();
  if (host.output_error() != 0) return output_failed(host.output_error());
  // A program that handled the signal itself ends like any other.
  int number = InterruptGuard::signal();
  if (number != 0 && ending.kind == Ending::Kind::Stopped) {
    host.write(vm::Stream::Err, signal_text(number));
    return kInterrupted;
  }
  if (!ending.message.empty()) host.write(vm::Stream::Err, ending.message);
  return ending.exit_code;
}

int report_ending(EventHost& host, const Ending& ending, const vm::Outcome<vm::Value>& outcome) {
  if (InterruptGuard::signal() != 0 && ending.kind == Ending::Kind::Stopped) {
    host.write_failure("interrupted", "the run was interrupted");
    return kInterrupted;
  }
  if (ending.kind == Ending::Kind::Failed) {
    host.write_failure("run_failed", text::trim_end(ending.message));
    return ending.exit_code;
  }
  std::string value;
  if (!outcome || !data::append_json(value, *outcome)) value = "null";
  host.write_result(value, ending.exit_code);
  return host.output_error() != 0 ? output_failed(host.output_error()) : ending.exit_code;
}

struct Prepared {
  std::string warnings;
  std::unique_ptr<bytecode::Program> program;
  Surroundings surroundings;
  vm::Limits limits;
  unsigned workers;
  Answers answers;
};

int run_events(Prepared prepared) {
  EventHost host;
  vm::Vm vm(builtins::table(), host, vm_options(prepared.limits, prepared.workers));
  host.attach(&vm);
  InterruptGuard guard(vm);
  if (!prepared.warnings.empty()) host.write(vm::Stream::Err, prepared.warnings);
  auto outcome = execute(vm, std::move(prepared.program), prepared.surroundings);
  Ending ending = ending_of(outcome, prepared.answers, Snippet::No, diag::Colour::No);
  return report_ending(host, ending, outcome);
}

int run_process(Prepared prepared) {
  ProcessHost host;
  // The process ends with the program, and its memory with it: nothing is taken apart piece by
  // piece, except where a leak checker looks on.
  auto* vm = new vm::Vm(builtins::table(), host, vm_options(prepared.limits, prepared.workers));
  host.attach(vm);
  InterruptGuard guard(*vm);
  if (!prepared.warnings.empty()) host.write(vm::Stream::Err, prepared.warnings);
  auto outcome = execute(*vm, std::move(prepared.program), prepared.surroundings);
  net::kill_all_processes();  // of tasks that were given up
  Snippet snippet = isatty(STDERR_FILENO) ? Snippet::Yes : Snippet::No;
  int code = report_ending(host, ending_of(outcome, prepared.answers, snippet, colour_of(STDERR_FILENO)));
#ifdef HARN_SANITIZED
  outcome = vm::Value();
  host.attach(nullptr);
  delete vm;
#else
  _exit(code);
#endif
  return code;
}

std::string rendered(const diag::Sink& sink, bool json) {
  return diag::render_all(sink, json ? diag::Colour::No : colour_of(STDERR_FILENO));
}

int report_errors(const diag::Sink& sink, bool json) {
  if (json) EventHost().write_failure("compile_failed", rendered(sink, json));
  else write_error(rendered(sink, json));
  return kFailure;
}

// The program could not even be loaded: with `--json` the only event.
int report_early(const Arguments& arguments, std::string_view code, const std::string& message) {
  if (!arguments.has("--json")) return fail_with(message);
  EventHost().write_failure(code, message);
  return kFailure;
}

int run(const Arguments& arguments) {
  bool inline_code = arguments.has("-e");
  if (inline_code && !arguments.operands().empty()) {
    return report_usage(arguments, {"`-e` and a file exclude each other", "arguments for the program go after `--`"});
  }
  if (!inline_code && arguments.operands().empty()) {
    return report_usage(arguments, {"`harn run` needs FILE, `-e CODE` or `-`", ""});
  }
  auto source = load_source(arguments);
  if (!source) return report_early(arguments, "source_not_found", source.error().message);
  auto project = find_project(source->file);
  if (!project) return report_early(arguments, "bad_manifest", project.error().message);
  auto limit = while_limit(*project, arguments.number("--while-limit"));
  if (!limit) return report_usage(arguments, {limit.error().message, ""});

  auto workers = worker_count(arguments.number("--workers"));
  if (!workers) return report_usage(arguments, {workers.error().message, ""});

  Loaded& loaded = *source->loaded;
  bool json = arguments.has("--json");
  auto program = compile(loaded);
  if (!program) return report_errors(loaded.sink, json);
  Prepared prepared{
      rendered(loaded.sink, json), std::move(program), surroundings_of(arguments, *project),
      {.while_limit = *limit},     *workers,           entry_returns(*loaded.main) ? Answers::Yes : Answers::No};
  return json ? run_events(std::move(prepared)) : run_process(std::move(prepared));
}

constexpr Option kOptions[] = {
    {.name = "-e", .letter = 'e', .value = "CODE", .help = "run CODE instead of a file"},
    {.name = "--while-limit",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "passes one `while` may make (default 10000, 0: no limit)"},
    {.name = "--workers",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "threads that run tasks (0, the default: one for each processor; 1: a fixed order)"},
    {.name = "--json", .help = "print everything the program writes as JSON events, one a line"},
};

}  // namespace

constinit const Command kRun = {
    .name = "run",
    .summary = "Run a program",
    .operands = {.shown = "FILE", .least = 0, .most = kAnyNumber},
    .passes_rest = true,
    .options = kOptions,
    .notes =
        R"(FILE may be `-` for standard input. Words after FILE are the program's `argv`; put `--` before
words that look like flags. `harn FILE.harn ARGS...` is short for `harn run FILE.harn -- ARGS...`.

Exit code: 0, or the int the program returned; 1 after an error or a returned Result.Err;
124 after Ctrl-C or SIGTERM.)",
    .run = run,
};

}  // namespace harn::cli
