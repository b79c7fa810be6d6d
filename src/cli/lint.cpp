#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/diff.h"
#include "cli/files.h"
#include "cli/lint_run.h"
#include "cli/output.h"
#include "cli/problem_report.h"

namespace harn::cli {

namespace {

// `--diff` shows what `--fix` (or `--unsafe-fixes`) would do.
struct Mode {
  bool json, fixes, diff, deny_warnings;
  lint::Fixes which;
};

Mode mode_of(const Arguments& arguments) {
  bool unsafe = arguments.has("--unsafe-fixes"), diff = arguments.has("--diff");
  return {.json = arguments.has("--json"),
          .fixes = arguments.has("--fix") || unsafe || diff,
          .diff = diff,
          .deny_warnings = arguments.has("--deny-warnings"),
          .which = unsafe ? lint::Fixes::All : lint::Fixes::Safe};
}

class Lint {
 public:
  Lint(const std::vector<std::string>& files, const Arguments& arguments, LintRun& run)
      : files_(files), mode_(mode_of(arguments)), run_(run), report_(mode_.json, "no issues found", "lint_failed") {}

  int run() {
    if (mode_.fixes) run_.fix(mode_.which);
    show_manifests();
    for (size_t i = 0; i < files_.size(); ++i) add(i);
    bool failed = report_.files_with_errors() > 0 || denied_;
    report_.finish(failed, fmt::format("\"fixable\":{},\"fixed\":{}", fixable_, fixed_));
    if (!mode_.json) give_advice();
    return failed ? kFailure : kSuccess;
  }

 private:
  void show_manifests() {
    const diag::Sink& found = run_.manifest_problems();
    if (found.diagnostics().empty()) return;
    denied_ |= mode_.deny_warnings;
    // Not part of any file's list: they go to standard error, in an envelope's case, too.
    write_error(diag::render_all(found, colour_of(STDERR_FILENO)) + "\n");
  }

  void add(size_t file) {
    const std::string& path = files_[file];
    if (auto error = run_.read_error(file)) return report_.unreadable(path, error->message);
    if (mode_.fixes && !apply(file)) return;
    LintRun::Problems problems = run_.problems(file);
    for (const diag::Diagnostic* one : problems) {
      denied_ |= one->severity == diag::Severity::Warning && (mode_.deny_warnings || run_.is_strict(file));
      fixable_ += lint::fix_of(*one, lint::Fixes::Safe) != nullptr;
      unsafe_ += !lint::fix_of(*one, lint::Fixes::Safe) && lint::fix_of(*one, lint::Fixes::All);
    }
    if (mode_.diff && !mode_.json) return;  // the patch is all there is to see
    report_.add(path, problems);
  }

  // False when the file could not be written.
  bool apply(size_t file) {
    const std::string& path = files_[file];
    if (run_.gave_up(file) && run_.fixed(file) == 0 && run_.text(file) == run_.original(file) && was_sound(file)) {
      write_error(fmt::format("{}: the fixes would leave more errors than there are; left as it is\n", path));
    }
    if (run_.fixed(file) == 0) return true;
    fixed_ += static_cast<int64_t>(run_.fixed(file));
    if (mode_.diff) {
      if (!mode_.json) write_out(unified_diff(path, run_.original(file), run_.text(file)));
      return true;
    }
    if (auto written = replace_file(path, run_.text(file)); !written) {
      report_.unreadable(path, written.error().message);
      return false;
    }
    if (!mode_.json) write_out(fmt::format("{}: applied {}\n", path, fixes(run_.fixed(file))));
    return true;
  }

  bool was_sound(size_t file) {
    LintRun::Problems problems = run_.problems(file);
    return std::none_of(problems.begin(), problems.end(),
                        [](const diag::Diagnostic* one) { return diag::row(one->code).id.starts_with("HARN-PAR"); });
  }

  static std::string fixes(size_t count) { return fmt::format("{} fix{}", count, count == 1 ? "" : "es"); }

  void give_advice() {
    if (fixable_ > 0 && !mode_.fixes) {
      write_error(fmt::format("help: {} can be made with `harn lint --fix`\n", fixes(static_cast<size_t>(fixable_))));
    }
    if (unsafe_ > 0 && mode_.which == lint::Fixes::Safe && !mode_.diff) {
      write_error(
          fmt::format("help: {} that may change what the program does can be made with "
                      "`harn lint --unsafe-fixes`\n",
                      fixes(static_cast<size_t>(unsafe_))));
    }
  }

  const std::vector<std::string>& files_;
  Mode mode_;
  LintRun& run_;
  ProblemReport report_;
  int64_t fixable_ = 0, unsafe_ = 0, fixed_ = 0;
  bool denied_ = false;
};

int run_lint(const Arguments& arguments) {
  auto files = find_sources(arguments.operands(), Templates::Yes);
  if (!files) return report_failure(arguments, "source_not_found", files.error().message);
  LintRun run(*files, {.require_file_header = arguments.has("--require-file-header")});
  if (auto& error = run.manifest_error()) return report_failure(arguments, "manifest_invalid", error->message);
  return Lint(*files, arguments, run).run();
}

constexpr Option kOptions[] = {
    {.name = "--fix", .help = "make the fixes that keep what the program does"},
    {.name = "--unsafe-fixes", .help = "make the other fixes, too; look at the result"},
    {.name = "--diff", .help = "show what fixes would change, as a patch; write nothing"},
    {.name = "--deny-warnings", .help = "exit 1 when there are warnings"},
    {.name = "--require-file-header", .help = "every file must begin with a /** */ block that names it"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kLint = {
    .name = "lint",
    .summary = "Find what is correct but doubtful, and fix it",
    .operands = {.shown = "PATH...", .least = 1, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(A directory means all *.harn and *.prompt files below it. What `harn check` finds is shown, too.
A comment `// harn-lint: allow(RULE)` silences a rule on its line or the next; `[lint] disabled = ["RULE"]` in
harn.toml does so in the project. Exit code 1 when there are errors; warnings alone leave it 0.)",
    .run = run_lint,
};

}  // namespace harn::cli
