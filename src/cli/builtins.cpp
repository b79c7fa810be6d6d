#include "base/fmt.h"
#include "builtins/registry.h"
#include "cli/builtin_text.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace harn::cli {

namespace {

std::string as_text() {
  std::string out;
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (!is_internal(*row)) out += fmt::format("{}\n    {}\n", heading(*row), row->doc);
  }
  return out;
}

std::string as_json() {
  JsonWriter json;
  json.object().key("builtins").list();
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (!is_internal(*row)) write_row(json, *row);
  }
  return json.end().end().take();
}

std::string as_markdown() {
  std::string out = "# Builtins\n\nWritten by `harn builtins --markdown`.\n";
  bool in_methods = false;
  out += "\n## Functions\n";
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (is_internal(*row)) continue;
    if (row->receiver && !std::exchange(in_methods, true)) out += "\n## Methods\n";
    out += fmt::format("\n### `{}`\n\n{}\n", heading(*row), row->doc);
    if (!row->example.empty()) out += fmt::format("\n```harn\n{}\n```\n", row->example);
  }
  return out;
}

int list(const Arguments& arguments) {
  if (arguments.has("--json") && arguments.has("--markdown")) {
    return report_usage(arguments, {"`--json` and `--markdown` exclude each other", ""});
  }
  if (arguments.has("--json")) print_envelope(1, as_json());
  else write_out(arguments.has("--markdown") ? as_markdown() : as_text());
  return kSuccess;
}

constexpr Option kOptions[] = {
    {.name = "--json", .help = "print a JSON envelope"},
    {.name = "--markdown", .help = "print the reference page"},
};

}  // namespace

constinit const Command kBuiltins = {
    .name = "builtins", .summary = "List all builtin functions and methods", .options = kOptions, .run = list};

}  // namespace harn::cli
