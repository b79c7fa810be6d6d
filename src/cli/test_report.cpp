#include "cli/test_report.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/statistics.h"

namespace harn::cli {

using Outcome = TestResult::Outcome;

size_t TestRun::count(Outcome outcome) const {
  auto same = [&](const TestResult& result) { return result.outcome == outcome; };
  return static_cast<size_t>(std::count_if(results.begin(), results.end(), same));
}

static std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  for (std::string_view line : text::split(text::trim_end(text), "\n")) {
    out += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  }
  return out;
}

std::string result_lines(const TestCase& test, const TestResult& result, bool verbose) {
  bool passed = result.outcome == Outcome::Passed;
  bool colour = colour_of(STDOUT_FILENO) == diag::Colour::Yes;
  std::string_view word =
      passed ? (colour ? "\x1b[32mPASS\x1b[0m" : "PASS") : (colour ? "\x1b[1;31mFAIL\x1b[0m" : "FAIL");
  std::string out = fmt::format("{}  {} [{}]", word, test.name, test.file);
  out += passed || verbose ? fmt::format(" ({:.0f} ms)\n", result.ms) : "\n";
  if (!passed) out += indented(result.error, "    ");
  if (!result.output.empty() && (!passed || verbose)) {
    out += "    output:\n" + indented(result.output, "      ");
  }
  return out;
}

std::string timing_lines(const TestRun& run) {
  if (run.results.empty()) return "";
  std::vector<double> times;
  for (const TestResult& result : run.results) times.push_back(result.ms);
  double average = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  std::string out = fmt::format("\nTiming: avg {:.1f} ms, p50 {:.1f} ms, p95 {:.1f} ms, p99 {:.1f} ms\n", average,
                                percentile(times, 50), percentile(times, 95), percentile(times, 99));
  constexpr size_t kSlowest = 10;
  std::vector<size_t> order(run.results.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return run.results[a].ms > run.results[b].ms; });
  out += "Slowest:\n";
  for (size_t i = 0; i < order.size() && i < kSlowest; ++i) {
    const TestCase& test = run.suite.cases[order[i]];
    out += fmt::format("  {:>8.1f} ms  {} [{}]\n", run.results[order[i]].ms, test.name, test.file);
  }
  return out;
}

// ---- JUnit ----

// XML has no way to write most control characters, so they become U+FFFD.
static std::string xml(std::string_view text) {
  std::string valid = text::to_valid_utf8(text);
  std::string out;
  for (char c : valid) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') out += "\xEF\xBF\xBD";
        else out += c;
    }
  }
  return out;
}

static std::string junit_case(const TestCase& test, const TestResult& result) {
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"", xml(test.name),
                                xml(test.file), result.ms / 1000);
  if (result.outcome == Outcome::Passed && result.output.empty()) return out + "/>\n";
  out += ">\n";
  if (result.outcome != Outcome::Passed) {
    std::string_view kind = result.outcome == Outcome::Failed ? "failure" : "error";
    std::string_view first = std::string_view(result.error).substr(0, result.error.find('\n'));
    out += fmt::format("      <{} message=\"{}\">{}</{}>\n", kind, xml(first), xml(result.error), kind);
  }
  if (!result.output.empty()) {
    out += fmt::format("      <system-out>{}</system-out>\n", xml(result.output));
  }
  return out + "    </testcase>\n";
}

std::string junit_report(const TestRun& run) {
  struct Group {
    std::string cases;
    size_t tests = 0, failures = 0, errors = 0;
    double ms = 0;
  };
  std::map<std::string, Group> groups;  // by file
  for (size_t i = 0; i < run.results.size(); ++i) {
    const TestResult& result = run.results[i];
    Group& group = groups[run.suite.cases[i].file];
    group.cases += junit_case(run.suite.cases[i], result);
    ++group.tests;
    group.failures += result.outcome == Outcome::Failed;
    group.errors += result.outcome == Outcome::TimedOut || result.outcome == Outcome::Crashed;
    group.ms += result.ms;
  }
  size_t errors = run.count(Outcome::TimedOut) + run.count(Outcome::Crashed);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"harn\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
      run.results.size(), run.count(Outcome::Failed), errors, run.ms / 1000);
  for (auto& [file, group] : groups) {
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n{}"
        "  </testsuite>\n",
        xml(file), group.tests, group.failures, group.errors, group.ms / 1000, group.cases);
  }
  return out + "</testsuites>\n";
}

// ---- JSON ----

static std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed: return "passed";
    case Outcome::Failed: return "failed";
    case Outcome::TimedOut: return "timed_out";
    case Outcome::Crashed: return "crashed";
  }
  return "failed";
}

std::string json_report(const TestRun& run) {
  auto number = [](size_t count) { return static_cast<int64_t>(count); };
  std::vector<double> times;
  for (const TestResult& result : run.results) times.push_back(result.ms);
  std::sort(times.begin(), times.end());
  JsonWriter json;
  json.object().field("schemaVersion", 1).field("suite", run.suite.name).field("root", run.suite.root);
  json.key("duration_ms").decimal(run.ms).key("timing").object();
  json.key("p50_ms").decimal(percentile(times, 50)).key("p95_ms").decimal(percentile(times, 95));
  json.key("p99_ms").decimal(percentile(times, 99)).end();
  json.key("summary").object().field("total", number(run.results.size()));
  json.field("passed", number(run.passed())).field("failed", number(run.failed()));
  json.field("timed_out", number(run.count(Outcome::TimedOut))).field("skipped", 0).end();
  json.key("cases").list();
  for (size_t i = 0; i < run.results.size(); ++i) {
    const TestCase& test = run.suite.cases[i];
    const TestResult& result = run.results[i];
    json.object().field("name", test.name).field("file", test.file).field("classname", test.file);
    json.field("outcome", outcome_name(result.outcome)).key("duration_ms").decimal(result.ms);
    if (!result.error.empty()) json.field("error", result.error);
    if (!result.output.empty()) json.field("output", result.output);
    json.end();
  }
  return json.end().end().take() + "\n";
}

}  // namespace harn::cli
