#include <unistd.h>

#include <set>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"
#include "modules/path.h"

namespace harn::cli {

namespace {

class Checker {
 public:
  explicit Checker(bool json) : json_(json) { report_.object().key("files").list(); }

  void check_file(const std::string& path) {
    auto loaded = load_file(path);
    if (!loaded) return unreadable(path, loaded.error().message);
    check(**loaded);
    const diag::Sink& sink = (*loaded)->sink;
    size_t errors = sink.error_count();
    bool clean = sink.diagnostics().empty();
    ++(errors ? errors_ : clean ? ok_ : warnings_);
    if (json_) return add_file(path, errors ? "error" : clean ? "ok" : "warning", sink);
    if (clean) write_out(fmt::format("{}: ok\n", path));
    else show(sink);
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
  bool is_new(const diag::Diagnostic& diagnostic) {
    std::string path = diagnostic.source ? modules::path::normalize(diagnostic.source->path()) : "";
    return seen_.insert(fmt::format("{}:{}:{}:{}", path, diagnostic.span.start,
                                    static_cast<int>(diagnostic.code), diagnostic.message)).second;
  }

  void show(const diag::Sink& sink) {
    diag::Colour colour = colour_of(STDERR_FILENO);
    for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
      if (is_new(diagnostic)) write_error(diag::render(diagnostic, colour) + "\n");
    }
    if (sink.dropped() > 0) write_error(fmt::format("and {} more\n", sink.dropped()));
  }

  void add_file(const std::string& path, std::string_view status, const diag::Sink& sink) {
    report_.object().field("path", path).field("status", status).key("diagnostics").list();
    for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
      report_.raw(diag::render_json(diagnostic));
      ++diagnostics_;
    }
    report_.end().end();
  }

  void unreadable(const std::string& path, const std::string& message) {
    ++errors_;
    if (!json_) {
      fail_with(message);
      return;
    }
    ++diagnostics_;
    report_.object().field("path", path).field("status", "error").key("diagnostics").list();
    report_.object()
        .field("source", "io")
        .field("severity", "error")
        .field("message", message)
        .end();
    report_.end().end();
  }

  bool json_;
  JsonWriter report_;
  int64_t ok_ = 0, warnings_ = 0, errors_ = 0, diagnostics_ = 0;
  std::set<std::string> seen_;
};

int check(const Arguments& arguments) {
  bool json = arguments.has("--json");
  auto files = find_sources(arguments.operands());
  if (!files) return report_failure(arguments, "source_not_found", files.error().message);
  Checker checker(json);
  for (const std::string& path : *files) checker.check_file(path);
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
