#include "cli/command_program.h"

#include <unistd.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/sandbox.h"
#include "engine/sources.h"

namespace harn::cli {

std::optional<Prepared> prepare(CommandProgram program, const Project& project, const effects::Sandbox& sandbox,
                                const builtins::Library* library) {
  // What was given stands in the text.
  if (!text::is_valid_utf8(program.text)) {
    fail_with("an argument is not valid UTF-8");
    return std::nullopt;
  }
  auto loaded = engine::load_text(std::string(program.file), std::move(program.text), catalog_of(library));
  auto compiled = engine::compile(*loaded);
  if (!compiled) {
    write_error(diag::render_all(loaded->sink, colour_of(STDERR_FILENO)));
    return std::nullopt;
  }
  Prepared prepared{.program = std::move(compiled),
                    .surroundings = {.project_root = project.root},
                    .settings = settings(program.limits, 1)};
  prepared.surroundings.state = project.state;
  apply(sandbox, library, prepared.settings);
  return prepared;
}

}  // namespace harn::cli
