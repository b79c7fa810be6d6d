#include <filesystem>

#include "cli/commands.h"
#include "cli/entry_returns.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/run_program.h"
#include "cli/sandbox.h"
#include "effects/tape_file.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

Result<std::unique_ptr<engine::Loaded>> load_recorded(const effects::TapeHeader& header,
                                                      std::optional<std::string_view> other,
                                                      const compile::Catalog& catalog) {
  if (other) return engine::load_file(std::string(*other), catalog);
  // Traces and keys of locks name files as the recorded program named its own.
  std::error_code none;
  std::filesystem::current_path(header.directory, none);
  if (header.program.empty()) return engine::load_text(header.named, header.text, catalog);
  if (!none && real_path(header.named) == header.program) return engine::load_file(header.named, catalog);
  return engine::load_file(header.program, catalog);
}

int replay(const Arguments& arguments) {
  auto tape = effects::read_tape(std::string(arguments.operands()[0]));
  if (!tape) return fail_with(tape.error().message);
  effects::TapeHeader& header = tape->header;
  auto library = library_of(header.sandbox);
  auto loaded = load_recorded(header, arguments.text("--program"), catalog_of(library.get()));
  if (!loaded) return fail_without_program(loaded.error().message, arguments.has("--program"));
  auto program = engine::compile(**loaded);
  std::string problems = diag::render_all((*loaded)->sink, colour_of(STDERR_FILENO));
  if (!program) {
    write_error(problems);
    return kFailure;
  }
  if (program_hash(*program) != header.program_hash)
    problems += "note: the program has changed since it was recorded\n";
  if (header.harn_version != HARN_VERSION) {
    problems += fmt::format("note: recorded with harn {}, this is {}\n", header.harn_version, HARN_VERSION);
  }
  if (!tape->has_end) problems += "note: the recorded run was killed; this is what it was told until then\n";

  auto extent = tape->has_end ? effects::Player::Extent::Whole : effects::Player::Extent::Beginning;
  Prepared prepared{.warnings = std::move(problems),
                    .program = std::move(program),
                    .surroundings = {.task = header.task, .project_root = header.project_root, .state = header.state},
                    .settings = {.limits = {.while_limit = header.while_limit}, .workers = 1},
                    .answers = entry_returns(*(*loaded)->main) ? Answers::Yes : Answers::No,
                    .watch = {.shows_trace = arguments.has("--trace")},
                    .player = std::make_shared<effects::Player>(std::move(tape->entries), extent)};
  if (header.has_model_replies) prepared.llm.script = header.model_replies;
  apply(header.sandbox, library.get(), prepared.settings);
  prepared.surroundings.args.assign(header.arguments.begin(), header.arguments.end());
  return run_program(std::move(prepared), false);
}

constexpr Option kOptions[] = {
    {.name = "--program", .value = "PATH", .kind = ValueKind::Path, .help = "another version of the program"},
    {.name = "--trace", .help = "show afterwards what the program has asked for"},
};

}  // namespace

constinit const Command kReplay = {
    .name = "replay",
    .summary = "Run a recorded program again, without touching the world",
    .operands = {.shown = "FILE", .least = 1, .most = 1},
    .options = kOptions,
    .notes =
        R"(FILE was made by `harn run --record FILE`. The program gets the answers it got then, in the same order, and
writes the same output; nothing else is read, written, started or sent, and no time passes in waiting.

Exit code: that of the program; 3 when the program asks for something else than it did, or in another way: then the
first difference is shown.)",
    .run = replay,
};

}  // namespace harn::cli
