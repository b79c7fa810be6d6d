#include "cli/llm_fixtures.h"

#include <filesystem>

#include "base/fmt.h"
#include "cli/files.h"
#include "cli/output.h"
#include "llm/cassette.h"
#include "llm/mock_model.h"

namespace harn::cli {

std::expected<LlmFixtures, UsageError> llm_fixtures_of(const Arguments& arguments) {
  LlmFixtures fixtures;
  auto script = arguments.text("--llm-mock");
  fixtures.record_to = arguments.text("--llm-mock-record").value_or("");
  if (script && !fixtures.record_to.empty())
    return std::unexpected(UsageError{"`--llm-mock` and `--llm-mock-record` exclude each other", ""});
  if (!script) return fixtures;
  auto text = read_file(std::string(*script));
  if (!text) return std::unexpected(UsageError{fmt::format("`--llm-mock`: {}", text.error().message), ""});
  if (std::string problem = llm::script_problem(*text); !problem.empty())
    return std::unexpected(UsageError{fmt::format("`--llm-mock`: {}:{}", *script, problem), ""});
  fixtures.script = *std::move(text);
  return fixtures;
}

void begin_fixtures(vm::Vm& vm, const LlmFixtures& fixtures) {
  if (fixtures.script) llm::MockModel::of(vm).set_script(*fixtures.script);
  if (!fixtures.record_to.empty()) llm::Cassette::of(vm).record(llm::Cassette::Form::MockEntries);
}

int end_fixtures(vm::Vm& vm, const LlmFixtures& fixtures, int exit_code) {
  if (fixtures.record_to.empty()) return exit_code;
  auto written = write_file(fixtures.record_to, llm::Cassette::of(vm).lines());
  return written ? exit_code : fail_with(written.error().message);
}

// ---- tests ----

TestCassette::TestCassette(Cassettes mode, const std::string& root, const std::string& file, const std::string& test)
    : mode_(mode) {
  namespace fs = std::filesystem;
  fs::path place = fs::absolute(file).lexically_proximate(root);
  path_ = (fs::path(root) / ".harn-fixtures" / place.replace_extension() / (test + ".jsonl")).string();
}

void TestCassette::begin(vm::Vm& vm) const {
  if (mode_ == Cassettes::None) return;
  llm::Cassette& cassette = llm::Cassette::of(vm);
  if (mode_ == Cassettes::Record) return cassette.record(llm::Cassette::Form::Calls);
  auto lines = read_file(path_);
  cassette.replay(lines ? *lines : "");
}

std::string TestCassette::end(vm::Vm& vm) const {
  if (mode_ != Cassettes::Record) return "";
  std::string lines = llm::Cassette::of(vm).lines();
  std::error_code error;
  std::filesystem::remove(path_, error);  // of a test that calls no model any more
  if (lines.empty()) return "";
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  auto written = write_file(path_, lines);
  return written ? "" : fmt::format("the cassette could not be written: {}\n", written.error().message);
}

}  // namespace harn::cli
