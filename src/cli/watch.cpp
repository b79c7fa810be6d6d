#include "cli/watch.h"

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/files.h"
#include "cli/output.h"
#include "vm/scheduler.h"

namespace harn::cli {

namespace {

// "process.exec=5"
std::expected<effects::Limit, UsageError> parse_limit(std::string_view text) {
  size_t equals = text.find('=');
  auto most = equals == text.npos ? std::nullopt : parse_number(text::trim(text.substr(equals + 1)));
  if (!most || *most < 0) {
    return std::unexpected(UsageError{fmt::format("`--limit {}` is not NAME=NUMBER", text),
                                      "for example `--limit process.exec=5,network=100`"});
  }
  std::string name(text::trim(text.substr(0, equals)));
  if (effects::capabilities_named(name) != 0) return effects::Limit{std::move(name), *most};
  std::string known;
  for (size_t i = 1; i < vm::kCapabilityCount; ++i) {
    known += fmt::format("{}{}", i > 1 ? ", " : "", vm::kCapabilityNames[i]);
  }
  return std::unexpected(
      UsageError{fmt::format("`--limit {}`: there is no capability `{}`", text, name), "there are " + known});
}

}  // namespace

std::expected<WatchOptions, UsageError> watch_options(const Arguments& arguments) {
  WatchOptions options;
  options.record_to = arguments.text("--record").value_or("");
  options.shows_trace = arguments.has("--trace");
  options.trace_to = arguments.text("--trace-to").value_or("");
  if (auto limits = arguments.text("--limit")) {
    for (const std::string& part : text::comma_list(*limits)) {
      auto limit = parse_limit(part);
      if (!limit) return std::unexpected(std::move(limit).error());
      options.limits.push_back(std::move(*limit));
    }
  }
  return options;
}

Result<std::unique_ptr<Watch>> Watch::begin(vm::Vm& vm, WatchOptions options, const effects::TapeHeader& header) {
  std::unique_ptr<Watch> watch(new Watch(std::move(options)));
  effects::Run& run = effects::Run::of(vm);
  if (!watch->options_.record_to.empty()) {
    watch->tape_ = HARN_TRY(effects::TapeWriter::create(watch->options_.record_to, header));
    auto recorder = std::make_shared<effects::Recorder>(
        [tape = watch->tape_.get()](const effects::TapeEntry& entry) { tape->add(entry); });
    run.record(recorder);
    vm.scheduler().set_course(recorder.get());  // which the world of the run keeps
  }
  HARN_CHECK(watch->begin_trace(run));
  if (!watch->options_.limits.empty()) {
    auto limited = effects::Run::within(run, {.limits = watch->options_.limits});
    vm.scheduler().root().run = vm::Ref<vm::HandleObject>::share(limited.get());
  }
  return watch;
}

Result<void> Watch::begin_trace(effects::Run& run) {
  if (!options_.shows_trace && options_.trace_to.empty()) return {};
  if (!options_.trace_to.empty()) {
    lines_.open(options_.trace_to, std::ios::trunc);
    if (!lines_) return fail(ErrorKind::Io, fmt::format("cannot write {}: {}", options_.trace_to, reason(errno)));
  }
  trace_ = std::make_shared<effects::Trace>(vm::steady_now(), [this](const effects::Span& span) {
    if (options_.shows_trace) spans_.push_back(span);
    if (lines_.is_open()) lines_ << trace_line(span);
  });
  run.trace(trace_);
  return {};
}

Result<void> Watch::end_trace() {
  if (!trace_) return {};
  trace_->finish(vm::steady_now());
  std::sort(spans_.begin(), spans_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (options_.shows_trace) write_error(trace_tree(spans_));
  if (!lines_.is_open()) return {};
  lines_.close();
  return lines_ ? Result<void>() : fail(ErrorKind::Io, fmt::format("cannot write {}", options_.trace_to));
}

int Watch::end(int exit_code) {
  Result<void> kept;
  if (tape_) kept = tape_->finish({.exit_code = exit_code});
  Result<void> traced = end_trace();
  for (const auto& result : {kept, traced}) {
    if (result) continue;
    fail_with(result.error().message);
    if (exit_code == kSuccess) exit_code = kFailure;
  }
  return exit_code;
}

}  // namespace harn::cli
