#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/llm_fixtures.h"
#include "cli/worker_pool.h"

// What `harn test` runs and what came of it.
namespace harn::cli {

// Tests run their tasks on one worker: the order of what happens is then always the same.
constexpr unsigned kTestWorkers = 1;

struct TestCase {
  std::string name;
  std::string file;
};

// What one test says about itself, sent from the child that ran it.
struct Verdict {
  bool passed = false;
  std::string error;   // why it failed
  std::string output;  // what it printed

  std::string pack() const;
  static Verdict unpack(std::string_view packed);
};

struct Suite {
  std::string name;  // "user" or "conformance"
  std::string root;  // where it was found
  size_t file_count = 0;
  std::vector<TestCase> cases;
  std::vector<std::vector<uint32_t>> lanes;  // see run_jobs
  Job job;                                   // the packed verdict of a case
};

// The pipelines named test_* or marked @test in the files at `paths`, each in a fresh VM.
Result<Suite> find_tests(const std::vector<std::string_view>& paths, std::string_view filter, Cassettes cassettes);
// Pairs x.harn + x.expected (exact output) or x.error (parts of the error) below `path`.
Result<Suite> find_fixtures(const std::string& path, std::string_view filter);

struct TestResult {
  enum class Outcome { Passed, Failed, TimedOut, Crashed };
  Outcome outcome = Outcome::Passed;
  double ms = 0;
  std::string error;
  std::string output;
};

}  // namespace harn::cli
