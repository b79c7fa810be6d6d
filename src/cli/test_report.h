#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/test_suite.h"

namespace harn::cli {

struct TestRun {
  const Suite& suite;
  std::vector<TestResult> results;  // by case
  double ms = 0;

  size_t count(TestResult::Outcome outcome) const;
  size_t passed() const { return count(TestResult::Outcome::Passed); }
  size_t failed() const { return results.size() - passed(); }
};

// `PASS  name [file] (3 ms)`, or FAIL with the reason below.
std::string result_lines(const TestCase& test, const TestResult& result, bool verbose);
// Averages, percentiles and the slowest tests.
std::string timing_lines(const TestRun& run);
std::string junit_report(const TestRun& run);
std::string json_report(const TestRun& run);

}  // namespace harn::cli
