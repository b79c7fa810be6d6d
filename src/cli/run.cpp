#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/secrets.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/entry_returns.h"
#include "cli/event_host.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/run_program.h"
#include "cli/sandbox.h"
#include "cli/skill_dirs.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

// Where the program's text comes from.
struct Source {
  std::string file;  // empty for -e and standard input
  std::unique_ptr<engine::Loaded> loaded = nullptr;
};

// What `--resume SNAPSHOT` without a program runs; the snapshot is its argument.
constexpr std::string_view kResumeProgram = R"(let worker = wait_agent(resume_agent(argv[0]))
if worker.status == "suspended" { println("suspended: ${worker.suspension.reason}\n${worker.snapshot_path}") }
else if worker.status == "failed" { throw worker.error.message }
else { println(worker.result["visible_text"] ?? "") }
return worker.result
)";

bool is_resume_only(const Arguments& arguments) {
  return arguments.has("--resume") && !arguments.has("-e") && arguments.operands().empty();
}

std::string file_of(const Arguments& arguments) {
  bool is_file = !arguments.has("-e") && !arguments.operands().empty() && arguments.operands()[0] != "-";
  return is_file ? std::string(arguments.operands()[0]) : "";
}

Result<Source> load_source(const Arguments& arguments, const compile::Catalog& catalog) {
  if (auto code = arguments.text("-e")) return Source{"", engine::load_text("<eval>", std::string(*code), catalog)};
  if (is_resume_only(arguments)) {
    return Source{"", engine::load_text("<resume>", std::string(kResumeProgram), catalog)};
  }
  std::string path = file_of(arguments);
  if (path.empty()) {
    auto text = HARN_TRY(read_standard_input());
    return Source{"", engine::load_text("<stdin>", std::move(text), catalog)};
  }
  auto loaded = HARN_TRY(engine::load_file(path, catalog));
  return Source{path, std::move(loaded)};
}

// Beside the program, or as it is.
std::string snapshot_of(const Arguments& arguments) {
  std::filesystem::path given(*arguments.text("--resume"));
  auto beside = std::filesystem::path(file_of(arguments)).parent_path() / given;
  std::error_code ignored;
  bool is_beside = given.is_relative() && std::filesystem::exists(beside, ignored);
  return std::filesystem::absolute(is_beside ? beside : given, ignored).lexically_normal().string();
}

engine::Surroundings surroundings_of(const Arguments& arguments, const Project& project, std::string_view snapshot) {
  engine::Surroundings out;
  const auto& operands = arguments.operands();
  size_t script_words = arguments.has("-e") || operands.empty() ? 0 : 1;
  out.args.assign(operands.begin() + static_cast<ptrdiff_t>(script_words), operands.end());
  if (is_resume_only(arguments)) out.args.push_back(snapshot);
  out.args.insert(out.args.end(), arguments.rest().begin(), arguments.rest().end());
  if (const char* task = getenv("HARN_TASK")) out.task = task;
  out.project_root = project.root;
  out.state = project.state;
  if (!is_resume_only(arguments)) out.state.resume = snapshot;
  return out;
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

effects::TapeHeader tape_header(const Source& source, const Prepared& prepared) {
  effects::TapeHeader header{.harn_version = HARN_VERSION,
                             .program = source.file.empty() ? "" : real_path(source.file).value_or(source.file),
                             .program_hash = program_hash(*prepared.program),
                             .task = prepared.surroundings.task,
                             .project_root = prepared.surroundings.project_root,
                             .state = prepared.surroundings.state,
                             .while_limit = static_cast<int64_t>(prepared.settings.limits.while_limit)};
  const auto& main = source.loaded->main->source;
  if (source.file.empty()) header.text = main->text();
  header.named = main->path(), header.directory = real_path(".").value_or("");
  for (std::string_view argument : prepared.surroundings.args) header.arguments.emplace_back(argument);
  header.has_model_replies = prepared.llm.script.has_value();
  header.model_replies = Secrets().hidden(prepared.llm.script.value_or(""));
  return header;
}

Origin origin_of(const Source& source, const Prepared& prepared) {
  Origin origin{.while_limit = static_cast<int64_t>(prepared.settings.limits.while_limit),
                .task = prepared.surroundings.task,
                .project_root = prepared.surroundings.project_root};
  if (source.file.empty()) {
    origin.name = source.loaded->main->source->path();
    origin.text = source.loaded->main->source->text();
  } else {
    origin.file = real_path(source.file).value_or(source.file);
  }
  for (std::string_view argument : prepared.surroundings.args) origin.args.emplace_back(argument);
  return origin;
}

int run(const Arguments& arguments) {
  bool inline_code = arguments.has("-e");
  if (inline_code && !arguments.operands().empty()) {
    return report_usage(arguments, {"`-e` and a file exclude each other", "arguments for the program go after `--`"});
  }
  if (!inline_code && arguments.operands().empty() && !arguments.has("--resume")) {
    return report_usage(arguments, {"`harn run` needs FILE, `-e CODE` or `-`", ""});
  }
  auto project = find_project(file_of(arguments));
  if (!project) return report_early(arguments, "bad_manifest", project.error().message);
  std::string snapshot = arguments.has("--resume") ? snapshot_of(arguments) : "";  // outlives the program's `argv`
  auto sandbox = sandbox_of(arguments, *project);
  if (!sandbox) return report_usage(arguments, sandbox.error());
  if (auto dirs = apply_skill_dirs(arguments, *project, *sandbox); !dirs) return report_usage(arguments, dirs.error());
  auto library = library_of(*sandbox);
  auto source = load_source(arguments, catalog_of(library.get()));
  if (!source) return report_early(arguments, "source_not_found", source.error().message);
  auto limit = while_limit(*project, arguments.number("--while-limit"));
  if (!limit) return report_usage(arguments, {limit.error().message, ""});

  auto workers = worker_count(arguments.number("--workers"));
  if (!workers) return report_usage(arguments, {workers.error().message, ""});
  auto watch = watch_options(arguments);
  if (!watch) return report_usage(arguments, watch.error());

  auto llm = llm_fixtures_of(arguments);
  if (!llm) return report_usage(arguments, llm.error());

  auto parking = parking_of(arguments);
  if (!parking) return report_usage(arguments, parking.error());

  engine::Loaded& loaded = *source->loaded;
  bool json = arguments.has("--json");
  auto program = engine::compile(loaded);
  if (!program) return report_errors(loaded.sink, json);
  Prepared prepared{.warnings = sandbox_warning(*sandbox) + rendered(loaded.sink, json),
                    .program = std::move(program),
                    .surroundings = surroundings_of(arguments, *project, snapshot),
                    .settings = settings({.while_limit = *limit}, *workers),
                    .answers = entry_returns(*loaded.main) ? Answers::Yes : Answers::No,
                    .watch = std::move(*watch),
                    .llm = std::move(*llm)};
  prepared.name = loaded.main->source->path();
  prepared.tells_summary = arguments.has("--emit-summary-json");
  apply(*sandbox, library.get(), prepared.settings);
  if (!parking->to.empty()) {
    prepared.parking = *std::move(parking);
    prepared.origin = origin_of(*source, prepared);
    prepared.origin.sandbox = *sandbox;
  }
  if (!prepared.watch.record_to.empty()) {
    prepared.header = tape_header(*source, prepared);
    prepared.header.sandbox = *sandbox;
    // The order in which tasks meet is part of what is recorded.
    if (!arguments.has("--workers")) prepared.settings.workers = 1;
  }
  return run_program(std::move(prepared), json);
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
    {.name = "--record",
     .value = "FILE",
     .kind = ValueKind::Path,
     .help = "keep what the program is told by the world, for `harn replay FILE`"},
    {.name = "--trace", .help = "show afterwards what the program has done to the world, and how long that took"},
    {.name = "--trace-to", .value = "FILE", .kind = ValueKind::Path, .help = "write the same as JSON, one line each"},
    {.name = "--limit",
     .value = "NAME=N,...",
     .help = "at most N effects of a capability, such as `process.exec=5` or `network=100`"},
    kNoSandbox,
    kReadOnlyRoot,
    kAllow,
    kDeny,
    kAsk,
    kSkillDir,
    kLlmMock,
    kLlmMockRecord,
    {.name = "--emit-summary-json",
     .help = "afterwards tell time, exit code and what models have cost, as a line of JSON on standard error"},
    {.name = "--resume",
     .value = "SNAPSHOT",
     .kind = ValueKind::Path,
     .help = "go on with a suspended agent loop; with FILE, its first agent loop is the one"},
    {.name = "--json", .help = "print everything the program writes as JSON events, one a line"},
    kParkTo,
    kParkAtWait,
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
75 when it was put away; 124 after Ctrl-C or SIGTERM.

A program may use the files of its project (the nearest directory with a harn.toml, or the working directory) and start
other programs there; it may not use the network. --no-sandbox lets it.

A recording holds no secrets. With --record, tasks run on one worker unless --workers says otherwise: then they meet
in the same order when the recording is replayed.)",
    .run = run,
};

}  // namespace harn::cli
