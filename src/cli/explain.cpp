#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/registry.h"
#include "cli/builtin_text.h"
#include "cli/check_run.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/problem_report.h"
#include "diag/diagnostic.h"
#include "lint/repairs.h"

namespace harn::cli {

namespace {

std::string_view severity_name(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::Error: return "error";
    case diag::Severity::Warning: return "warning";
    case diag::Severity::Info: return "info";
  }
  return "error";
}

// "HARN-PAR-001" is of category "PAR".
std::string_view category(const diag::CodeRow& row) {
  size_t from = row.id.find('-') + 1;
  return row.id.substr(from, row.id.rfind('-') - from);
}

void write_row(JsonWriter& json, const diag::CodeRow& row) {
  json.field("code", row.id).field("name", row.name).field("category", category(row));
  json.field("severity", severity_name(row.severity)).field("summary", row.title);
}

// ---- the catalogue ----

std::string catalogue_json() {
  JsonWriter json;
  json.object().key("codes").list();
  for (const diag::CodeRow& row : diag::code_rows()) {
    json.object();
    write_row(json, row);
    json.end();
  }
  return json.end().end().take();
}

std::string catalogue_markdown() {
  std::string out = "# Diagnostics\n\n| code | severity | meaning |\n| --- | --- | --- |\n";
  for (const diag::CodeRow& row : diag::code_rows()) {
    out += fmt::format("| {} | {} | {} |\n", row.id, severity_name(row.severity), row.title);
  }
  return out;
}

std::string catalogue_text() {
  std::string out;
  for (const diag::CodeRow& row : diag::code_rows()) {
    out += fmt::format("{}  {:<8} {}\n", row.id, severity_name(row.severity), row.title);
  }
  return out;
}

int print_catalogue(const Arguments& arguments) {
  auto format = arguments.text("--format");
  if (arguments.has("--json") || format == "json") print_envelope(1, catalogue_json());
  else write_out(format == "markdown" ? catalogue_markdown() : catalogue_text());
  return kSuccess;
}

// ---- one code ----

std::vector<std::string_view> related(const diag::CodeRow& row) {
  std::vector<std::string_view> out;
  for (const diag::CodeRow& other : diag::code_rows()) {
    if (&other != &row && category(other) == category(row)) out.push_back(other.id);
  }
  return out;
}

int print_code(const diag::CodeRow& row, bool json) {
  std::string_view body = diag::explanation(row.id);
  if (!json) {
    write_out(body.empty() ? fmt::format("# {}: {}\n", row.id, row.title) : std::string(body));
    if (!body.empty() && !body.ends_with('\n')) write_out("\n");
    return kSuccess;
  }
  JsonWriter data;
  data.object();
  write_row(data, row);
  data.field("body", body).key("repairs").list();
  if (auto repair = lint::usual_repair(row.code)) {
    // "casts/insert-explicit-conversion"
    std::string summary(repair->id.substr(repair->id.find('/') + 1));
    std::ranges::replace(summary, '-', ' ');
    data.object()
        .field("id", repair->id)
        .field("safety", lint::name_of(repair->safety))
        .field("summary", summary)
        .end();
  }
  data.end().field("apiStability", "stable").key("related").list();
  for (std::string_view id : related(row)) data.text(id);
  data.end().end();
  print_envelope(1, data.take());
  return kSuccess;
}

// ---- one builtin ----

// `push`, `list.push` and `stream.map` all find their rows.
std::vector<const vm::Builtin*> find_rows(std::string_view name) {
  std::vector<const vm::Builtin*> out;
  size_t dot = name.find('.');
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (is_internal(*row)) continue;
    bool as_method = dot != name.npos && row->name == name.substr(dot + 1) && is_method_of(*row, name.substr(0, dot));
    if (row->name == name || as_method) out.push_back(row);
  }
  return out;
}

int print_rows(const std::vector<const vm::Builtin*>& rows, bool json) {
  if (!json) {
    for (const vm::Builtin* row : rows) {
      if (row != rows.front()) write_out("\n");
      write_out(description(*row));
    }
    return kSuccess;
  }
  JsonWriter data;
  data.object().key("builtins").list();
  for (const vm::Builtin* row : rows) cli::write_row(data, *row);
  print_envelope(1, data.end().end().take());
  return kSuccess;
}

int report_unknown(std::string_view name, bool json) {
  std::vector<std::string_view> names;
  for (const diag::CodeRow& row : diag::code_rows()) names.push_back(row.id);
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (!is_internal(*row)) names.push_back(row->name);
  }
  std::string message = fmt::format("`{}` is neither a diagnostic code nor a builtin", name);
  auto close = text::close_names(name, names);
  if (json) {
    print_envelope(1, "", {"unknown_topic", message});
    return kUsage;
  }
  std::string out = fmt::format("{}: {}\n", error_word(), message);
  if (!close.empty()) out += fmt::format("help: did you mean `{}`?\n", close[0]);
  write_error(out + "Run `harn explain --catalog` or `harn builtins` for the lists.\n");
  return kUsage;
}

// ---- one invariant of one handler ----

int explain_invariant(const Arguments& arguments) {
  std::string name(*arguments.text("--invariant"));
  auto given = arguments.operands();
  if (given.size() != 2) {
    return report_usage(arguments, {"`harn explain --invariant NAME` needs a handler and a file", ""});
  }
  std::vector<std::string> files = {std::string(given[1])};
  size_t checked = 0;
  CheckRun run(files, {.invariants = true, .which = {name, std::string(given[0]), &checked}});
  if (auto& error = run.manifest_error()) return report_failure(arguments, "manifest_invalid", error->message);
  if (auto error = run.read_error(0)) return report_failure(arguments, "source_not_found", error->message);
  CheckRun::Problems problems = run.problems(0);
  // Of everything else `harn check` tells; but without a program that can be read nothing is known about its ways.
  std::erase_if(problems, [](const diag::Diagnostic* one) {
    return diag::origin(one->code) != "invariant" && one->severity != diag::Severity::Error;
  });
  if (checked == 0 && problems.empty()) {
    std::string message = fmt::format("`{}` has no `@invariant(\"{}\")` in {}", given[0], name, given[1]);
    return report_failure(arguments, "unknown_invariant", message);
  }
  ProblemReport report(arguments.has("--json"), fmt::format("`{}` keeps `{}` on every way", given[0], name),
                       "invariant_violated");
  report.add(files[0], problems);
  report.finish(report.files_with_errors() > 0);
  return report.files_with_errors() > 0 ? kFailure : kSuccess;
}

int explain(const Arguments& arguments) {
  if (arguments.has("--invariant")) return explain_invariant(arguments);
  if (arguments.operands().size() > 1) {
    return report_usage(arguments, {"`harn explain` takes one code or builtin", ""});
  }
  bool catalogue = arguments.has("--catalog");
  if (catalogue && !arguments.operands().empty()) {
    return report_usage(arguments, {"`--catalog` takes no name", ""});
  }
  if (arguments.has("--format") && !catalogue) {
    return report_usage(arguments, {"`--format` goes with `--catalog`", ""});
  }
  if (catalogue) return print_catalogue(arguments);
  if (arguments.operands().empty()) {
    return report_usage(arguments, {"`harn explain` needs a code, a builtin or `--catalog`", ""});
  }
  std::string_view name = arguments.operands()[0];
  bool json = arguments.has("--json");
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(toupper(c));
  if (const diag::CodeRow* row = diag::find_code(upper)) return print_code(*row, json);
  auto rows = find_rows(name);
  return rows.empty() ? report_unknown(name, json) : print_rows(rows, json);
}

constexpr std::string_view kFormats[] = {"markdown", "json"};
constexpr Option kOptions[] = {
    {.name = "--catalog", .help = "list all diagnostic codes"},
    {.name = "--format",
     .value = "FORMAT",
     .kind = ValueKind::Choice,
     .choices = kFormats,
     .help = "with --catalog: markdown or json"},
    {.name = "--invariant",
     .value = "NAME",
     .help = "show how a handler breaks an invariant: harn explain --invariant NAME HANDLER FILE"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kExplain = {
    .name = "explain",
    .summary = "Explain a diagnostic code or a builtin",
    .operands = {.shown = "[CODE|BUILTIN|HANDLER FILE]", .least = 0, .most = 2, .kind = ValueKind::Text},
    .options = kOptions,
    .notes = "Examples: harn explain HARN-PAR-001, harn explain push, harn explain --catalog",
    .run = explain,
};

}  // namespace harn::cli
