#include <unistd.h>

#include <algorithm>
#include <span>
#include <unordered_set>

#include "cli/commands.h"
#include "engine/sources.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"

namespace harn::cli {

namespace {

class Checker {
 public:
  explicit Checker(bool json) : json_(json) { report_.object().key("files").list(); }

  using Problems = std::span<const diag::Diagnostic* const>;

  void add(const std::string& path, Problems problems) {
    bool errors =
        std::any_of(problems.begin(), problems.end(), [](auto* one) { return one->severity == diag::Severity::Error; });
    bool clean = problems.empty();
    ++(errors ? errors_ : clean ? ok_ : warnings_);
    Problems shown = problems.first(std::min(problems.size(), diag::Sink::kMost));
    if (json_) return add_file(path, errors ? "error" : clean ? "ok" : "warning", shown);
    if (clean) write_out(fmt::format("{}: ok\n", path));
    else show(shown, problems.size() - shown.size());
  }

  void unreadable(const std::string& path, const std::string& message) {
    ++errors_;
    if (!json_) {
      fail_with(message);
      return;
    }
    ++diagnostics_;
    report_.object().field("path", path).field("status", "error").key("diagnostics").list();
    report_.object().field("source", "io").field("severity", "error").field("message", message).end();
    report_.end().end();
  }

  int finish() {
    if (json_) {
      report_.end().key("summary").object();
      report_.field("ok", ok_).field("warnings", warnings_).field("errors", errors_);
      report_.field("diagnostics", diagnostics_).end().end();
      Problem problem;
      if (errors_) problem = {"check_failed", "some files have errors"};
      print_envelope(1, report_.take(), problem);
    }
    return errors_ ? kFailure : kSuccess;
  }

 private:
  // A module that several checked files import is reported once.
  bool is_new(const diag::Diagnostic& diagnostic) { return seen_.insert(&diagnostic).second; }

  void show(Problems problems, size_t left_out) {
    diag::Colour colour = colour_of(STDERR_FILENO);
    for (const diag::Diagnostic* diagnostic : problems) {
      if (is_new(*diagnostic)) write_error(diag::render(*diagnostic, colour) + "\n");
    }
    if (left_out > 0) write_error(fmt::format("and {} more\n", left_out));
  }

  void add_file(const std::string& path, std::string_view status, Problems problems) {
    report_.object().field("path", path).field("status", status).key("diagnostics").list();
    for (const diag::Diagnostic* diagnostic : problems) {
      report_.raw(diag::render_json(*diagnostic));
      ++diagnostics_;
    }
    report_.end().end();
  }

  bool json_;
  JsonWriter report_;
  int64_t ok_ = 0, warnings_ = 0, errors_ = 0, diagnostics_ = 0;
  std::unordered_set<const diag::Diagnostic*> seen_;
};

int check(const Arguments& arguments) {
  bool json = arguments.has("--json");
  auto files = find_sources(arguments.operands());
  if (!files) return report_failure(arguments, "source_not_found", files.error().message);
  engine::ManyFiles many(*files, engine::ManyFiles::For::Checking);
  Checker checker(json);
  for (size_t i = 0; i < files->size(); ++i) {
    if (auto error = many.read_error(i)) checker.unreadable((*files)[i], error->message);
    else checker.add((*files)[i], many.problems(i));
  }
  return checker.finish();
}

constexpr Option kOptions[] = {{.name = "--json", .help = "print a JSON envelope"}};

}  // namespace

constinit const Command kCheck = {
    .name = "check",
    .summary = "Find problems without running: syntax, names, imports, argument counts",
    .operands = {.shown = "PATH...", .least = 1, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(A directory means all *.harn files below it. Prints `PATH: ok` for a file without problems.
Exit code 1 when there are errors; warnings alone leave it 0.)",
    .run = check,
};

}  // namespace harn::cli
