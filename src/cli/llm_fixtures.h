#pragma once

#include <expected>
#include <optional>
#include <string>

#include "cli/options.h"
#include "vm/vm.h"

// Answers of models in files: `harn run --llm-mock FILE`, `--llm-mock-record FILE`, and `harn test --record`, `--replay`.
namespace harn::cli {

inline constexpr Option kLlmMock = {.name = "--llm-mock",
                                    .value = "FILE",
                                    .kind = ValueKind::Path,
                                    .help = "answer calls of models with the replies in FILE, one JSON object a line"};
inline constexpr Option kLlmMockRecord = {.name = "--llm-mock-record",
                                          .value = "FILE",
                                          .kind = ValueKind::Path,
                                          .help = "write what models answer to FILE, for --llm-mock"};

// What a run is told and what is kept of it.
struct LlmFixtures {
  std::optional<std::string> script;
  std::string record_to;  // empty: nowhere
};
std::expected<LlmFixtures, UsageError> llm_fixtures_of(const Arguments& arguments);
// Before the program begins, and after it has ended; the value is its exit code, or 1 where the file cannot be written.
void begin_fixtures(vm::Vm& vm, const LlmFixtures& fixtures);
int end_fixtures(vm::Vm& vm, const LlmFixtures& fixtures, int exit_code);

// How tests get their answers from models.
enum class Cassettes : uint8_t { None, Record, Replay };

// The cassette of one test. Calls of models that a test makes while it is recorded are real.
class TestCassette {
 public:
  // `root`: the project's folder; `file`: that of the test.
  TestCassette(Cassettes mode, const std::string& root, const std::string& file, const std::string& test);
  void begin(vm::Vm& vm) const;
  // Empty, or why it could not be kept.
  std::string end(vm::Vm& vm) const;

 private:
  Cassettes mode_;
  std::string path_;
};

}  // namespace harn::cli
