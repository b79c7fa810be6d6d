// Fixtures: x.harn with x.expected, the exact standard output of a run that succeeds, or x.error,
// parts of the error it must end with. Each line of x.error must be found in the error's text; a
// line `re:PATTERN` is a regular expression. A fixture may have both.
#include <re2/re2.h>

#include "base/text.h"
#include "cli/capture_host.h"
#include "cli/diff.h"
#include "cli/ending.h"
#include "cli/entry_returns.h"
#include "cli/files.h"
#include "cli/project.h"
#include "cli/test_suite.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

struct Fixture {
  std::string path;  // of the program
  std::string stem() const { return path.substr(0, path.size() - std::string_view(".harn").size()); }
};

// What a program did: printed, and how it failed if it did.
struct Observed {
  std::string out;
  std::string error;
  bool failed = false;
};

Result<Observed> run_fixture(const std::string& path) {
  auto project = HARN_TRY(find_project(path));
  int64_t limit = HARN_TRY(while_limit(project, std::nullopt));
  auto loaded = HARN_TRY(engine::load_file(path, engine::Verify::Yes));
  auto program = engine::compile(*loaded);
  if (!program) return Observed{"", diag::render_all(loaded->sink, diag::Colour::No), true};
  Answers answers = entry_returns(*loaded->main) ? Answers::Yes : Answers::No;
  CaptureHost host(CaptureHost::Keep::Yes);
  engine::Machine machine(host, settings({.while_limit = limit}, kTestWorkers));
  TimeoutTarget target(machine.vm());
  auto outcome = machine.run(std::move(program), {.project_root = project.root});
  Ending ending = ending_of(outcome, answers, Snippet::No, diag::Colour::No);
  bool failed = ending.kind == Ending::Kind::Failed || ending.kind == Ending::Kind::Stopped;
  return Observed{host.out(), ending.message, failed};
}

// Why the text does not hold the line; empty when it does.
std::string missing(const std::string& text, std::string_view line) {
  bool found;
  if (line.starts_with("re:")) {
    re2::RE2 pattern("(?m)" + std::string(line.substr(3)), re2::RE2::Quiet);
    if (!pattern.ok()) return fmt::format("{} is no regular expression: {}\n", line, pattern.error());
    found = re2::RE2::PartialMatch(text, pattern);
  } else {
    found = text.find(line) != std::string::npos;
  }
  return found ? "" : fmt::format("the error does not contain: {}\n", line);
}

std::string check_error(const Observed& observed, std::string_view wanted) {
  if (!observed.failed) return "expected an error, but the program succeeded\n";
  std::string out;
  for (std::string_view line : text::split(wanted, "\n")) {
    line = text::trim_end(line);
    if (!line.empty()) out += missing(observed.error, line);
  }
  return out.empty() ? out : out + "the error is:\n" + observed.error;
}

std::string check_output(const Observed& observed, const std::string& wanted, bool may_fail) {
  std::string out = diff(wanted, observed.out);
  if (!out.empty()) out = "the output differs (- expected, + actual):\n" + out;
  if (observed.failed && !may_fail) out += observed.error;
  return out;
}

Result<std::string> judge(const Fixture& fixture) {
  std::string expected = fixture.stem() + ".expected", error = fixture.stem() + ".error";
  bool has_expected = exists(expected), has_error = exists(error);
  if (!has_expected && !has_error) {
    return fmt::format("there is neither {} nor {}\n(begin its name with `_` if other fixtures import it)\n", expected,
                       error);
  }
  Observed observed = HARN_TRY(run_fixture(fixture.path));
  std::string problems;
  if (has_expected) problems += check_output(observed, HARN_TRY(read_file(expected)), has_error);
  if (has_error) problems += check_error(observed, HARN_TRY(read_file(error)));
  return problems;
}

// Modules that fixtures import are not fixtures: their name, or that of a folder they are in,
// begins with `_`.
bool is_helper(std::string_view path) { return path.starts_with('_') || path.find("/_") != path.npos; }

}  // namespace

Result<Suite> find_fixtures(const std::string& path, std::string_view filter) {
  auto fixtures = std::make_shared<std::vector<Fixture>>();
  Suite suite{.name = "conformance", .root = path};
  auto files = HARN_TRY(find_sources({path}));
  for (std::string& file : files) {
    std::string name = file.starts_with(path) && file != path ? file.substr(path.size()) : file;
    if (name.starts_with('/')) name.erase(0, 1);
    if (is_helper(name) || name.find(filter) == std::string::npos) continue;
    suite.lanes.push_back({static_cast<uint32_t>(fixtures->size())});
    suite.cases.push_back({std::move(name), file});
    fixtures->push_back({std::move(file)});
  }
  suite.file_count = fixtures->size();
  suite.job = [fixtures](uint32_t number) {
    auto problems = judge((*fixtures)[number]);
    std::string error = problems ? *problems : problems.error().message;
    return Verdict{.passed = error.empty(), .error = error, .output = ""}.pack();
  };
  return suite;
}

}  // namespace harn::cli
