#include <unistd.h>

#include "cli/commands.h"
#include "engine/sources.h"
#include "cli/output.h"

namespace harn::cli {

static int disasm(const Arguments& arguments) {
  auto loaded = engine::load_file(std::string(arguments.operands()[0]));
  if (!loaded) return fail_with(loaded.error().message);
  auto program = engine::compile(**loaded);
  const diag::Sink& sink = (*loaded)->sink;
  if (!sink.diagnostics().empty()) write_error(diag::render_all(sink, colour_of(STDERR_FILENO)));
  if (!program) return kFailure;
  for (const auto& module : program->modules) write_out(bytecode::disassemble(*module));
  return kSuccess;
}

constinit const Command kDisasm = {.name = "disasm",
                                   .summary = "Show the instructions a program compiles to",
                                   .operands = {.shown = "FILE", .least = 1, .most = 1},
                                   .run = disasm};

}  // namespace harn::cli
