#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "cli/capture_host.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/statistics.h"
#include "engine/sources.h"

namespace harn::cli {

namespace {

struct Times {
  std::vector<double> ms;  // sorted

  double total() const { return std::accumulate(ms.begin(), ms.end(), 0.0); }
  double average() const { return total() / static_cast<double>(ms.size()); }
  double deviation() const {
    double sum = 0;
    for (double each : ms) sum += (each - average()) * (each - average());
    return std::sqrt(sum / static_cast<double>(ms.size()));
  }
};

std::string as_json(std::string_view file, const Times& times) {
  JsonWriter json;
  json.object().field("file", file).field("iterations", static_cast<int64_t>(times.ms.size()));
  json.key("min_ms").decimal(times.ms.front()).key("avg_ms").decimal(times.average());
  json.key("max_ms").decimal(times.ms.back()).key("p50_ms").decimal(percentile(times.ms, 50));
  json.key("p95_ms").decimal(percentile(times.ms, 95)).key("stddev_ms").decimal(times.deviation());
  json.key("total_ms").decimal(times.total()).end();
  return json.take();
}

std::string as_text(std::string_view file, const Times& times) {
  return fmt::format(
      "{}: {}\n"
      "  min    {:>10.3f} ms\n  avg    {:>10.3f} ms\n  max    {:>10.3f} ms\n"
      "  p50    {:>10.3f} ms\n  p95    {:>10.3f} ms\n  stddev {:>10.3f} ms\n"
      "  total  {:>10.3f} ms\n",
      file, text::plural(times.ms.size(), "iteration"), times.ms.front(), times.average(), times.ms.back(),
      percentile(times.ms, 50), percentile(times.ms, 95), times.deviation(), times.total());
}

int report_iteration(size_t iteration, const Ending& ending, bool json) {
  std::string message = fmt::format("iteration {} failed", iteration + 1);
  if (json) {
    print_envelope(1, "", {"bench_failed", message + ": " + ending.message});
    return kFailure;
  }
  write_error(ending.message);
  return fail_with(message);
}

int bench(const Arguments& arguments) {
  std::string file(arguments.operands()[0]);
  auto count = static_cast<size_t>(arguments.number("--iterations").value_or(10));
  bool json = arguments.has("--json");
  auto loaded = engine::load_file(file);
  if (!loaded) return report_failure(arguments, "source_not_found", loaded.error().message);
  auto program = engine::compile(**loaded);
  if (!program) {
    const diag::Sink& sink = (*loaded)->sink;
    if (json) return report_failure(arguments, "compile_failed", diag::render_all(sink, diag::Colour::No));
    write_error(diag::render_all(sink, colour_of(STDERR_FILENO)));
    return kFailure;
  }
  auto project = find_project(file);
  if (!project) return report_failure(arguments, "bad_manifest", project.error().message);
  auto limit = while_limit(*project, arguments.number("--while-limit"));
  if (!limit) return report_usage(arguments, {limit.error().message, ""});

  Times times;
  for (size_t i = 0; i < count; ++i) {
    CaptureHost host(CaptureHost::Keep::No);
    auto start = std::chrono::steady_clock::now();
    engine::Machine machine(host, settings({.while_limit = *limit}));
    InterruptGuard guard(machine.vm());
    auto outcome = machine.run(engine::copy(*program), {.project_root = project->root});
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    Ending ending = ending_of(outcome, Answers::No, Snippet::No, diag::Colour::No);
    if (ending.kind == Ending::Kind::Stopped) {
      if (json) print_envelope(1, "", {"interrupted", "the run was interrupted"});
      return kInterrupted;
    }
    if (ending.exit_code != 0) return report_iteration(i, ending, json);
    times.ms.push_back(elapsed.count());
  }
  std::sort(times.ms.begin(), times.ms.end());
  if (json) print_envelope(1, as_json(file, times));
  else write_out(as_text(file, times));
  return kSuccess;
}

constexpr Option kOptions[] = {
    {.name = "--iterations",
     .letter = 'n',
     .value = "N",
     .kind = ValueKind::Number,
     .least = 1,
     .help = "how often to run the program (default 10)"},
    {.name = "--while-limit",
     .value = "N",
     .kind = ValueKind::Number,
     .help = "passes one `while` may make (default 10000, 0: no limit)"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kBench = {
    .name = "bench",
    .summary = "Run a program several times and show how long it takes",
    .operands = {.shown = "FILE", .least = 1, .most = 1},
    .options = kOptions,
    .notes = R"(Compiles once; each iteration runs in a fresh VM. What the program prints is dropped.)",
    .run = bench,
};

}  // namespace harn::cli
