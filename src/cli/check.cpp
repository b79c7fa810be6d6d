#include <algorithm>

#include "base/fmt.h"
#include "cli/check_run.h"
#include "cli/commands.h"
#include "cli/cost_report.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/problem_report.h"
#include "cli/project.h"
#include "cli/source_watch.h"
#include "modules/path.h"

namespace harn::cli {

namespace {

// What was named, and with `--workspace` what the manifest lists.
Result<std::vector<std::string>> files_to_check(const Arguments& arguments) {
  std::vector<std::string> named(arguments.operands().begin(), arguments.operands().end());
  if (arguments.has("--workspace")) {
    auto project = HARN_TRY(find_project(named.empty() ? "" : named[0]));
    if (!project.manifest.workspace_pipelines) {
      return fail(ErrorKind::Invalid, "`--workspace` needs `pipelines` in the `[workspace]` of harn.toml");
    }
    std::string here = real_path(".").value_or("") + "/";
    for (const std::string& one : *project.manifest.workspace_pipelines) {
      std::string path = modules::path::join(project.root, one);
      named.push_back(path.starts_with(here) ? path.substr(here.size()) : path);
    }
  }
  return find_sources({named.begin(), named.end()}, Templates::Yes);
}

CheckRun::Options options_of(const Arguments& arguments) {
  return {.invariants = arguments.has("--invariants"),
          .cost = arguments.has("--cost"),
          .strict_types = arguments.has("--strict-types"),
          .preflight = std::string(arguments.text("--preflight").value_or("")),
          .host_capabilities = std::string(arguments.text("--host-capabilities").value_or("")),
          .bundle_root = std::string(arguments.text("--bundle-root").value_or(""))};
}

int check_once(const Arguments& arguments) {
  auto files = files_to_check(arguments);
  if (!files) {
    bool is_usage = files.error().kind == ErrorKind::Invalid && arguments.has("--workspace");
    if (is_usage) return report_usage(arguments, {files.error().message, ""});
    return report_failure(arguments, "source_not_found", files.error().message);
  }
  CheckRun run(*files, options_of(arguments));
  if (auto& error = run.manifest_error()) return report_failure(arguments, "manifest_invalid", error->message);
  for (const std::string& warning : run.manifest_warnings()) write_error(fmt::format("warning: {}\n", warning));
  bool json = arguments.has("--json"), denied = false;
  ProblemReport report(json, "ok", "check_failed");
  std::vector<const audit::PipelineCost*> costs;
  for (size_t i = 0; i < files->size(); ++i) {
    if (auto error = run.read_error(i)) {
      report.unreadable((*files)[i], error->message);
      continue;
    }
    auto problems = run.problems(i);
    denied |= run.is_strict(i) && !problems.empty();
    report.add((*files)[i], problems);
    for (const audit::PipelineCost* one : run.costs(i)) costs.push_back(one);
  }
  bool failed = report.files_with_errors() > 0 || denied;
  bool shows_cost = arguments.has("--cost");
  report.finish(failed, shows_cost ? fmt::format("\"costs\":{}", cost_json(costs)) : "");
  if (shows_cost && !json) write_out(cost_text(costs));
  return failed ? kFailure : kSuccess;
}

int check(const Arguments& arguments) {
  if (arguments.operands().empty() && !arguments.has("--workspace")) {
    return report_usage(arguments, {"`harn check` needs a path, or `--workspace`", ""});
  }
  if (!arguments.has("--watch")) return check_once(arguments);
  return repeat_on_change({arguments.operands().begin(), arguments.operands().end()},
                          [&] { (void)check_once(arguments); });
}

constexpr std::string_view kSeverities[] = {"error", "warning", "off"};
constexpr Option kOptions[] = {
    {.name = "--workspace", .help = "check what `[workspace] pipelines` of harn.toml lists, too"},
    {.name = "--invariants", .help = "check what `@invariant` promises, on every way through the program"},
    {.name = "--strict-types",
     .help = "warn where a value from outside is taken apart before anybody looked at its shape"},
    {.name = "--cost", .help = "print what each pipeline may cost at most"},
    {.name = "--host-capabilities",
     .value = "FILE",
     .kind = ValueKind::Path,
     .help = "the operations that the host has: JSON or TOML"},
    {.name = "--bundle-root",
     .value = "DIR",
     .kind = ValueKind::Path,
     .help = "another folder that the paths of templates may begin at"},
    {.name = "--preflight",
     .value = "SEVERITY",
     .kind = ValueKind::Choice,
     .choices = kSeverities,
     .help = "how bad it is when something is missing that a run needs: error, warning or off"},
    {.name = "--watch", .help = "check again whenever a source of the project has changed"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kCheck = {
    .name = "check",
    .summary = "Find problems without running: syntax, names, imports, types, templates",
    .operands = {.shown = "[PATH...]", .least = 0, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(A directory means all *.harn and *.prompt files below it. Prints `PATH: ok` for a file without problems.
Exit code 1 when there are errors; warnings alone leave it 0, unless `[check] strict = true` in harn.toml.)",
    .run = check,
};

}  // namespace harn::cli
