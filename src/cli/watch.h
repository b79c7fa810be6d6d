#pragma once

#include <expected>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "effects/budget.h"
#include "effects/tape_file.h"
#include "effects/run.h"
#include "vm/vm.h"

// What is kept of a run, and what it is limited to: `harn run --record --trace --trace-to --limit`.
namespace harn::cli {

struct WatchOptions {
  std::string record_to;  // empty: nowhere
  bool shows_trace = false;
  std::string trace_to;
  std::vector<effects::Limit> limits;

  bool is_any() const { return !record_to.empty() || shows_trace || !trace_to.empty() || !limits.empty(); }
};
std::expected<WatchOptions, UsageError> watch_options(const Arguments& arguments);

// Lives as long as the program runs.
class Watch {
 public:
  // Before the program begins.
  static Result<std::unique_ptr<Watch>> begin(vm::Vm& vm, WatchOptions options, const effects::TapeHeader& header);
  // Afterwards: writes what is to be kept. The exit code, which says so when that fails.
  int end(int exit_code);

 private:
  explicit Watch(WatchOptions options) : options_(std::move(options)) {}
  Result<void> begin_trace(effects::Run& run);
  Result<void> end_trace();

  WatchOptions options_;
  std::unique_ptr<effects::TapeWriter> tape_;
  std::shared_ptr<effects::Trace> trace_;
  std::vector<effects::Span> spans_;  // for `--trace`
  std::ofstream lines_;               // of `--trace-to`
};

// As people read it: a tree, by tasks. And one line of JSON for each.
std::string trace_tree(const std::vector<effects::Span>& spans);
std::string trace_line(const effects::Span& span);

}  // namespace harn::cli
