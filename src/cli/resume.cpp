#include "cli/commands.h"
#include "cli/entry_returns.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/parking.h"
#include "cli/project.h"
#include "cli/run_program.h"
#include "cli/sandbox.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

Result<std::unique_ptr<engine::Loaded>> load_origin(const Origin& origin, const compile::Catalog& catalog) {
  if (origin.file.empty()) return engine::load_text(origin.name, origin.text, catalog);
  return engine::load_file(origin.file, catalog);
}

int resume(const Arguments& arguments) {
  auto parking = parking_of(arguments);
  if (!parking) return report_usage(arguments, parking.error());
  auto workers = worker_count(arguments.number("--workers"));
  if (!workers) return report_usage(arguments, {workers.error().message, ""});
  auto state = read_state(std::string(arguments.operands()[0]));
  if (!state) return fail_with(state.error().message);
  Origin& origin = state->origin;
  if (auto path = arguments.text("--program")) origin.file = real_path(std::string(*path)).value_or(std::string(*path));
  auto library = library_of(origin.sandbox);
  auto loaded = load_origin(origin, catalog_of(library.get()));
  if (!loaded) return fail_without_program(loaded.error().message, arguments.has("--program"));
  auto program = engine::compile(**loaded);
  if (!program) {
    write_error(diag::render_all((*loaded)->sink, colour_of(STDERR_FILENO)));
    return kFailure;
  }
  auto project = find_project(origin.file);
  if (!project) return fail_with(project.error().message);
  Prepared prepared{.program = std::move(program),
                    .surroundings = {.task = origin.task, .project_root = origin.project_root, .state = project->state},
                    .settings = settings({.while_limit = origin.while_limit}, *workers),
                    .answers = entry_returns(*(*loaded)->main) ? Answers::Yes : Answers::No,
                    .parking = *std::move(parking),
                    .origin = std::move(origin),
                    .state = std::move(state->bytes)};
  apply(prepared.origin.sandbox, library.get(), prepared.settings);
  prepared.surroundings.args.assign(prepared.origin.args.begin(), prepared.origin.args.end());
  return run_program(std::move(prepared), false);
}

constexpr Option kOptions[] = {
    {.name = "--program",
     .value = "PATH",
     .kind = ValueKind::Path,
     .help = "where the program is now, if it has been moved"},
    {.name = "--workers",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "threads that run tasks (0, the default: one for each processor; 1: a fixed order)"},
    kParkTo,
    kParkAtWait,
};

}  // namespace

constinit const Command kResume = {
    .name = "resume",
    .summary = "Go on with a program that was put away",
    .operands = {.shown = "STATE", .least = 1, .most = 1},
    .options = kOptions,
    .notes =
        R"(STATE is a file that `harn run --park-to STATE` has written. The program's files are read again; their code
must be the same, comments may differ. STATE stays as it is: going on from it twice runs the rest twice.

Exit code: as for `harn run`.)",
    .run = resume,
};

}  // namespace harn::cli
