#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/source_text.h"
#include "diag/diagnostic.h"
#include "syntax/dump.h"

namespace harn::cli {

static int parse(const Arguments& arguments) {
  auto source = read_source(arguments.operands()[0]);
  if (!source) return fail_with(source.error().message);
  diag::Sink sink;
  auto tree = syntax::parse(*source, sink);
  write_out(syntax::dump(*tree));
  if (sink.diagnostics().empty()) return kSuccess;
  write_error(diag::render_all(sink, colour_of(STDERR_FILENO)));
  return sink.has_errors() ? kFailure : kSuccess;
}

constinit const Command kParse = {.name = "parse",
                                  .summary = "Show the syntax tree of a file",
                                  .operands = {.shown = "FILE", .least = 1, .most = 1},
                                  .notes = "FILE may be `-` for standard input.",
                                  .run = parse};

}  // namespace harn::cli
