// `harn serve mcp FILE`: a program as a server of the Model Context Protocol, over its standard streams.
//
// Standard output belongs to the protocol. So the program, and the children it starts, get standard error in its place, before
// anything runs; what is said to the client goes to the descriptor that standard output was.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/fmt.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/run_program.h"
#include "cli/sandbox.h"
#include "cli/skill_dirs.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

// The descriptor of the client; -1: there is none.
int take_standard_output() {
  int peer = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (peer < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return -1;
  // A client that has gone is told by the write that fails.
  signal(SIGPIPE, SIG_IGN);
  return peer;
}

int serve(const Arguments& arguments) {
  if (arguments.operands()[0] != "mcp") {
    return report_usage(arguments, {fmt::format("`{}` is no protocol that can be served", arguments.operands()[0]),
                                    "the one there is: `harn serve mcp FILE`"});
  }
  std::string file(arguments.operands()[1]);
  auto project = find_project(file);
  if (!project) return fail_with(project.error().message);
  auto sandbox = sandbox_of(arguments, *project);
  if (!sandbox) return report_usage(arguments, sandbox.error());
  if (auto dirs = apply_skill_dirs(arguments, *project, *sandbox); !dirs) return report_usage(arguments, dirs.error());
  auto library = library_of(*sandbox);
  auto loaded = engine::load_file(file, catalog_of(library.get()));
  if (!loaded) return fail_with(loaded.error().message);
  auto limit = while_limit(*project, std::nullopt);
  if (!limit) return report_usage(arguments, {limit.error().message, ""});
  auto workers = worker_count(arguments.number("--workers"));
  if (!workers) return report_usage(arguments, {workers.error().message, ""});
  auto program = engine::compile(**loaded);
  std::string told = diag::render_all((*loaded)->sink, colour_of(STDERR_FILENO));
  if (!program) {
    write_error(told);
    return kFailure;
  }
  Prepared prepared{.warnings = sandbox_warning(*sandbox) + told,
                    .program = std::move(program),
                    .settings = settings({.while_limit = *limit}, *workers)};
  prepared.surroundings.args.assign(arguments.rest().begin(), arguments.rest().end());
  prepared.surroundings.project_root = project->root;
  prepared.surroundings.state = project->state;
  prepared.surroundings.serves_mcp = true;
  prepared.name = (*loaded)->main->source->path();
  apply(*sandbox, library.get(), prepared.settings);
  prepared.mcp_peer = take_standard_output();
  if (prepared.mcp_peer < 0) return fail_with("standard output cannot be used");
  return run_program(std::move(prepared), false);
}

constexpr Option kOptions[] = {
    {.name = "--workers",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "threads that run tasks (0, the default: one for each processor)"},
    kNoSandbox,
    kReadOnlyRoot,
    kAllow,
    kDeny,
    kAsk,
    kSkillDir,
};

}  // namespace

constinit const Command kServe = {
    .name = "serve",
    .summary = "Serve a program to others",
    .operands = {.shown = "mcp FILE", .least = 2, .most = 2},
    .passes_rest = true,
    .options = kOptions,
    .notes =
        R"(`harn serve mcp FILE` runs the program once and then answers a client of the Model Context Protocol on standard
input and output, until that closes its side. What the program offers is what it has given to mcp_tools, mcp_resource,
mcp_resource_template and mcp_prompt. What it prints goes to standard error.

The program is held to the same sandbox as by `harn run`. Words after `--` are its `argv`.)",
    .run = serve,
};

}  // namespace harn::cli
