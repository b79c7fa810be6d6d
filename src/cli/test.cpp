#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/source_watch.h"
#include "cli/test_report.h"

namespace harn::cli {

namespace {

constexpr int64_t kDefaultTimeout = 30'000;
constexpr size_t kMostWorkers = 8;

std::expected<size_t, UsageError> worker_count(const Arguments& arguments) {
  if (auto jobs = arguments.number("--jobs")) return static_cast<size_t>(*jobs);
  if (!arguments.has("--parallel")) return 1;
  if (const char* variable = getenv("HARN_TEST_JOBS"); variable && *variable) {
    auto jobs = parse_number(variable);
    if (jobs && *jobs > 0) return static_cast<size_t>(*jobs);
    return std::unexpected(
        UsageError{fmt::format("HARN_TEST_JOBS is `{}`, expected a whole number of 1 or more", variable), ""});
  }
  auto processors = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return std::min(processors, kMostWorkers);
}

TestResult result_of(JobOutcome outcome, int64_t timeout_ms) {
  TestResult result{.ms = outcome.ms};
  if (!outcome.payload.empty()) {
    Verdict verdict = Verdict::unpack(outcome.payload);
    result.outcome = verdict.passed ? TestResult::Outcome::Passed : TestResult::Outcome::Failed;
    result.error = std::move(verdict.error);
    result.output = std::move(verdict.output);
  }
  if (outcome.how == JobOutcome::How::TimedOut) {
    result.outcome = TestResult::Outcome::TimedOut;
    result.error = fmt::format("timed out after {}ms\n", timeout_ms);
  } else if (outcome.how == JobOutcome::How::Crashed) {
    result.outcome = TestResult::Outcome::Crashed;
    result.error = outcome.signal ? fmt::format("crashed: {}\n", reason_of_signal(outcome.signal))
                                  : "crashed: the process ended before the test did\n";
  }
  return result;
}

class TestRunner {
 public:
  TestRunner(const Suite& suite, const Arguments& arguments)
      : suite_(suite),
        run_{.suite = suite},
        verbose_(arguments.has("--verbose")),
        timing_(arguments.has("--timing")),
        timeout_ms_(arguments.number("--timeout").value_or(kDefaultTimeout)) {}

  const TestRun& results() const { return run_; }

  Result<void> run(size_t workers) {
    run_.results.resize(suite_.cases.size());
    known_.resize(suite_.cases.size());
    announce();
    auto start = std::chrono::steady_clock::now();
    HARN_CHECK(run_jobs(suite_.lanes, suite_.job, {.workers = workers, .timeout_ms = timeout_ms_},
                        [&](uint32_t number, JobOutcome outcome) { add(number, std::move(outcome)); }));
    run_.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    summarise();
    return {};
  }

 private:
  bool is_conformance() const { return suite_.name == "conformance"; }

  void announce() {
    if (is_conformance()) {
      write_out(fmt::format("Running {}...\n", text::plural(suite_.cases.size(), "fixture")));
    } else if (!suite_.cases.empty()) {
      write_out(fmt::format("Running {} from {}...\n", text::plural(suite_.cases.size(), "test"),
                            text::plural(suite_.file_count, "file")));
    }
    fflush(stdout);
  }

  // Results are shown in the order of the tests, however they come in.
  void add(uint32_t number, JobOutcome outcome) {
    run_.results[number] = result_of(std::move(outcome), timeout_ms_);
    known_[number] = true;
    for (; shown_ < known_.size() && known_[shown_]; ++shown_) {
      const TestResult& result = run_.results[shown_];
      bool quiet = is_conformance() && result.outcome == TestResult::Outcome::Passed && !verbose_ && !timing_;
      if (!quiet) write_out(result_lines(suite_.cases[shown_], result, verbose_));
    }
    fflush(stdout);
  }

  void summarise() {
    if (suite_.cases.empty() && !is_conformance()) {
      write_out("No tests found.\n");
      return;
    }
    if (timing_) write_out(timing_lines(run_));
    write_out(fmt::format("\n{} passed, {} failed, {} total ({:.0f} ms)\n", run_.passed(), run_.failed(),
                          run_.results.size(), run_.ms));
    // Alone on its line, for whoever adds up the counts of several suites.
    if (is_conformance()) write_out(fmt::format("{} passed, {} failed\n", run_.passed(), run_.failed()));
  }

  const Suite& suite_;
  TestRun run_;
  bool verbose_;
  bool timing_;
  int64_t timeout_ms_;
  std::vector<bool> known_;
  size_t shown_ = 0;
};

int write_reports(const TestRun& run, const Arguments& arguments) {
  int code = run.failed() == 0 ? kSuccess : kFailure;
  if (auto path = arguments.text("--junit")) {
    if (auto done = write_file(std::string(*path), junit_report(run)); !done) code = fail_with(done.error().message);
  }
  if (auto path = arguments.text("--json-out")) {
    if (auto done = write_file(std::string(*path), json_report(run)); !done) code = fail_with(done.error().message);
  }
  return code;
}

Cassettes cassettes_of(const Arguments& arguments) {
  if (arguments.has("--record")) return Cassettes::Record;
  return arguments.has("--replay") ? Cassettes::Replay : Cassettes::None;
}

Result<Suite> find_suite(const Arguments& arguments) {
  std::string_view filter = arguments.text("--filter").value_or("");
  if (auto directory = arguments.text("--conformance")) return find_fixtures(std::string(*directory), filter);
  std::vector<std::string_view> paths = arguments.operands();
  if (paths.empty()) paths.push_back("tests");
  return find_tests(paths, filter, cassettes_of(arguments));
}

int test_once(const Arguments& arguments, unsigned workers) {
  auto suite = find_suite(arguments);
  if (!suite) return fail_with(suite.error().message);
  TestRunner runner(*suite, arguments);
  if (auto done = runner.run(workers); !done) return fail_with(done.error().message);
  return write_reports(runner.results(), arguments);
}

int test(const Arguments& arguments) {
  if (arguments.has("--conformance") && !arguments.operands().empty()) {
    return report_usage(arguments.command(), {"`--conformance` takes one directory and no other paths", ""});
  }
  if (!arguments.has("--conformance") && arguments.operands().empty() && !is_directory("tests")) {
    return report_usage(arguments.command(),
                        {"there is no `tests` directory here", "name the files or directories to test"});
  }
  if (arguments.has("--record") && arguments.has("--replay"))
    return report_usage(arguments.command(), {"`--record` and `--replay` exclude each other", ""});
  if (arguments.has("--watch") && (arguments.has("--junit") || arguments.has("--json-out")))
    return report_usage(arguments.command(), {"`--watch` does not go with `--junit` and `--json-out`", ""});
  auto workers = worker_count(arguments);
  if (!workers) return report_usage(arguments.command(), workers.error());
  // Unless it is set. What is recorded is said by real models.
  if (cassettes_of(arguments) == Cassettes::None) setenv("HARN_LLM_PROVIDER", "mock", 0);
  if (!arguments.has("--watch")) return test_once(arguments, *workers);
  std::vector<std::string> paths(arguments.operands().begin(), arguments.operands().end());
  if (auto directory = arguments.text("--conformance")) paths.emplace_back(*directory);
  return repeat_on_change(paths, [&] { (void)test_once(arguments, *workers); });
}

constexpr Option kOptions[] = {
    {.name = "--filter", .value = "TEXT", .help = "only tests whose name contains TEXT"},
    {.name = "--verbose", .letter = 'v', .help = "show the output of every test, not only of failed ones"},
    {.name = "--timing", .help = "show averages, percentiles and the slowest tests"},
    {.name = "--timeout", .value = "MS", .kind = ValueKind::Number, .least = 1, .help = "per test (default 30000)"},
    {.name = "--parallel", .help = "run files side by side"},
    {.name = "--jobs",
     .letter = 'j',
     .value = "N",
     .kind = ValueKind::Number,
     .least = 1,
     .help = "how many files at a time (implies --parallel)"},
    {.name = "--junit", .value = "FILE", .kind = ValueKind::Path, .help = "write a JUnit XML report"},
    {.name = "--json-out", .value = "FILE", .kind = ValueKind::Path, .help = "write a JSON report"},
    {.name = "--watch", .help = "run them again whenever a source of the project has changed"},
    {.name = "--record", .help = "ask real models, and write what they answer to .harn-fixtures/"},
    {.name = "--replay", .help = "answer calls of models from .harn-fixtures/"},
    {.name = "--conformance",
     .value = "DIR",
     .kind = ValueKind::Path,
     .help = "run the fixtures below DIR instead (x.harn with x.expected or x.error)"},
};

}  // namespace

constinit const Command kTest = {
    .name = "test",
    .summary = "Run tests",
    .operands = {.shown = "[PATH...]", .least = 0, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(Runs the pipelines named test_* or marked @test in the files at PATH (default: tests/), each in a
fresh VM. A test passes when it ends without an error. HARN_LLM_PROVIDER is `mock` unless set.

With --record and --replay a test has a cassette: the answers of models to its calls. A replayed call that was not recorded
fails and says what is different.

Exit code 1 when a test fails, crashes or runs out of time.)",
    .run = test,
};

}  // namespace harn::cli
