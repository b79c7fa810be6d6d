#include "cli/commands.h"
#include "cli/json.h"
#include "cli/output.h"

namespace harn::cli {

static int version(const Arguments& arguments) {
  if (!arguments.has("--json")) {
    write_out("harn " HARN_VERSION "\n");
    return kSuccess;
  }
  JsonWriter data;
  data.object().field("name", "harn").field("version", HARN_VERSION);
  data.field("description", "a language for programs that orchestrate agents").end();
  print_envelope(1, data.take());
  return kSuccess;
}

static constexpr Option kOptions[] = {{.name = "--json", .help = "print a JSON envelope"}};

constinit const Command kVersion = {
    .name = "version", .summary = "Show the version", .options = kOptions, .run = version};

}  // namespace harn::cli
