#include "cli/problem_report.h"

#include <unistd.h>

#include <algorithm>

#include "base/fmt.h"
#include "cli/output.h"

namespace harn::cli {

ProblemReport::ProblemReport(bool json, std::string_view clean, std::string_view code)
    : json_(json), clean_(clean), code_(code) {
  report_.object().key("files").list();
}

void ProblemReport::add(const std::string& path, Problems problems) {
  bool errors =
      std::any_of(problems.begin(), problems.end(), [](auto* one) { return one->severity == diag::Severity::Error; });
  bool clean = problems.empty();
  ++(errors ? errors_ : clean ? ok_ : warnings_);
  Problems shown = problems.first(std::min(problems.size(), diag::Sink::kMost));
  if (json_) return add_file(path, errors ? "error" : clean ? "ok" : "warning", shown);
  if (clean) write_out(fmt::format("{}: {}\n", path, clean_));
  else show(shown, problems.size() - shown.size());
}

void ProblemReport::unreadable(const std::string& path, const std::string& message) {
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

void ProblemReport::finish(bool failed, std::string_view fields) {
  if (!json_) return;
  report_.end().key("summary").object();
  report_.field("ok", ok_).field("warnings", warnings_).field("errors", errors_).field("diagnostics", diagnostics_);
  std::string data = report_.take();
  if (!fields.empty()) data += fmt::format(",{}", fields);
  data += "}}";
  Problem problem;
  if (failed) problem = {std::string(code_), errors_ ? "some files have errors" : "some files have warnings"};
  print_envelope(1, data, problem);
}

void ProblemReport::show(Problems problems, size_t left_out) {
  diag::Colour colour = colour_of(STDERR_FILENO);
  for (const diag::Diagnostic* diagnostic : problems) {
    if (is_new(*diagnostic)) write_error(diag::render(*diagnostic, colour) + "\n");
  }
  if (left_out > 0) write_error(fmt::format("and {} more\n", left_out));
}

void ProblemReport::add_file(const std::string& path, std::string_view status, Problems problems) {
  report_.object().field("path", path).field("status", status).key("diagnostics").list();
  for (const diag::Diagnostic* diagnostic : problems) {
    report_.raw(diag::render_json(*diagnostic));
    ++diagnostics_;
  }
  report_.end().end();
}

}  // namespace harn::cli
