#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/diff.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/lint_run.h"
#include "cli/output.h"
#include "lint/repairs.h"

namespace harn::cli {

namespace {

using lint::Safety;

// A diagnostic that can be mended, and which others its edit cannot be made together with.
struct Planned {
  size_t file;
  const diag::Diagnostic* diagnostic;
  lint::Repair repair;
  std::vector<size_t> conflicts;  // numbers of other plans

  const diag::Fix& fix() const { return diagnostic->fixes.front(); }
};

bool touch(Span a, Span b) { return a.start <= b.end && b.start <= a.end; }

class Fixer {
 public:
  Fixer(const std::vector<std::string>& files, LintRun& run, Safety most, bool json)
      : files_(files), run_(run), most_(most), json_(json) {}

  int plan() {
    collect();
    if (json_) print_plan();
    else show_plan();
    return finish();
  }

  int apply(bool writes) {
    run_.fix(lint::Fixes::All, [this](const diag::Diagnostic& one) { return lint::repair_of(one).safety <= most_; });
    JsonWriter report;
    report.object().key("files").list();
    for (size_t i = 0; i < files_.size(); ++i) {
      if (skip(i) || run_.fixed(i) == 0 || !put(i, writes)) continue;
      auto count = static_cast<int64_t>(run_.fixed(i));
      report.object().field("path", files_[i]).field("applied", count);
      report.field("diff", unified_diff(files_[i], run_.original(i), run_.text(i))).end();
    }
    report.end();
    write_skipped(report);
    report.end();
    if (json_) print_envelope(1, report.take(), problem());
    return finish();
  }

 private:
  // A file that cannot be read or does not parse is told, and left out.
  bool skip(size_t file) {
    auto error = run_.read_error(file);
    if (!error && run_.can_fix(file)) return false;
    std::string reason = error ? error->message : fmt::format("{} does not parse: see `harn check`", files_[file]);
    if (!json_) fail_with(reason);
    skipped_.emplace_back(files_[file], reason);
    return true;
  }

  void collect() {
    for (size_t i = 0; i < files_.size(); ++i) {
      if (skip(i)) continue;
      for (const diag::Diagnostic* one : run_.problems(i)) {
        lint::Repair repair = lint::repair_of(*one);
        diagnostics_.push_back(one);
        if (repair.safety <= most_ && repair.safety != Safety::NeedsHuman) plans_.push_back({i, one, repair, {}});
      }
    }
    find_conflicts();
  }

  // Plans of a file are in the order of their diagnostics; those of edits may differ a little.
  void find_conflicts() {
    std::vector<size_t> order(plans_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return std::pair(plans_[a].file, plans_[a].fix().span.start) <
             std::pair(plans_[b].file, plans_[b].fix().span.start);
    });
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t j = i + 1; j < order.size(); ++j) {
        Planned &a = plans_[order[i]], &b = plans_[order[j]];
        if (a.file != b.file || b.fix().span.start > a.fix().span.end) break;
        if (!touch(a.fix().span, b.fix().span)) continue;
        a.conflicts.push_back(order[j]);
        b.conflicts.push_back(order[i]);
      }
    }
  }

  void show_plan() {
    for (const Planned& plan : plans_) {
      Position at = plan.diagnostic->source->position(plan.fix().span.start);
      write_out(fmt::format("{}:{}:{}: {} {} [{}] {}{}\n", files_[plan.file], at.line, at.column,
                            diag::row(plan.diagnostic->code).id, plan.repair.id, name_of(plan.repair.safety),
                            plan.fix().title, plan.conflicts.empty() ? "" : " (touches another)"));
    }
    if (plans_.empty()) write_out("nothing to repair\n");
    else write_out(fmt::format("{}\n", text::plural(plans_.size(), "repair")));
  }

  void print_plan() {
    JsonWriter out;
    out.object().key("diagnostics").list();
    for (const diag::Diagnostic* one : diagnostics_) out.raw(diag::render_json(*one));
    out.end().key("repairs").list();
    for (const Planned& plan : plans_) write_repair(out, plan);
    out.end();
    write_skipped(out);
    out.key("safetyLevels").list();
    for (std::string_view name : lint::kSafetyNames) out.text(name);
    out.end().end();
    print_envelope(1, out.take(), problem());
  }

  void write_repair(JsonWriter& out, const Planned& plan) {
    out.object().field("path", files_[plan.file]).field("code", diag::row(plan.diagnostic->code).id);
    out.key("repair").object().field("id", plan.repair.id).field("summary", plan.fix().title);
    out.field("safety", name_of(plan.repair.safety)).end();
    out.key("edits").list().object().key("span").object();
    out.field("start", static_cast<int64_t>(plan.fix().span.start));
    out.field("end", static_cast<int64_t>(plan.fix().span.end)).end();
    out.field("replacement", plan.fix().replacement).end().end();
    out.key("applies_cleanly").boolean(plan.conflicts.empty()).key("conflicts_with").list();
    for (size_t other : plan.conflicts) out.number(static_cast<int64_t>(other));
    out.end().end();
  }

  void write_skipped(JsonWriter& out) {
    out.key("skippedFiles").list();
    for (const auto& [path, reason] : skipped_) out.object().field("path", path).field("reason", reason).end();
    out.end();
  }

  bool put(size_t file, bool writes) {
    const std::string& path = files_[file];
    if (!writes) {
      if (!json_) write_out(unified_diff(path, run_.original(file), run_.text(file)));
      return true;
    }
    if (auto written = replace_file(path, run_.text(file)); !written) {
      if (!json_) fail_with(written.error().message);
      skipped_.emplace_back(path, written.error().message);
      return false;
    }
    size_t count = run_.fixed(file);
    if (!json_) write_out(fmt::format("{}: applied {} fix{}\n", path, count, count == 1 ? "" : "es"));
    return true;
  }

  Problem problem() const {
    if (skipped_.empty()) return {};
    return {"fix_incomplete", "some files were left as they are"};
  }
  int finish() const { return skipped_.empty() ? kSuccess : kFailure; }

  const std::vector<std::string>& files_;
  LintRun& run_;
  Safety most_;
  bool json_;
  std::vector<const diag::Diagnostic*> diagnostics_;
  std::vector<Planned> plans_;
  std::vector<std::pair<std::string, std::string>> skipped_;
};

int run_fix(const Arguments& arguments) {
  bool plans = arguments.has("--plan"), applies = arguments.has("--apply");
  if (plans == applies) {
    return report_usage(arguments, {"`harn fix` needs either `--plan` or `--apply`", "`--plan` changes nothing"});
  }
  if (applies && !arguments.has("--safety")) {
    return report_usage(arguments, {"`--apply` needs `--safety LEVEL`", "`--plan` shows the level of each repair"});
  }
  if (plans && arguments.has("--dry-run")) {
    return report_usage(arguments, {"`--dry-run` goes with `--apply`", "`--plan` changes nothing"});
  }
  auto files = find_sources(arguments.operands());
  if (!files) return report_failure(arguments, "source_not_found", files.error().message);
  LintRun run(*files, {});
  if (auto& error = run.manifest_error()) return report_failure(arguments, "manifest_invalid", error->message);
  Safety most = Safety::CapabilityChanging;
  if (auto level = arguments.text("--safety")) most = *lint::find_safety(*level);
  Fixer fixer(*files, run, most, arguments.has("--json"));
  return plans ? fixer.plan() : fixer.apply(!arguments.has("--dry-run"));
}

// `needs-human` is nobody's to choose.
constexpr std::span<const std::string_view> kLevels(lint::kSafetyNames, std::size(lint::kSafetyNames) - 1);

constexpr Option kOptions[] = {
    {.name = "--plan", .help = "list the repairs; change nothing"},
    {.name = "--apply", .help = "make the repairs up to a level"},
    {.name = "--safety",
     .value = "LEVEL",
     .kind = ValueKind::Choice,
     .choices = kLevels,
     .help = "how far a repair may go: format-only, behavior-preserving, scope-local, ..."},
    {.name = "--dry-run", .help = "with --apply: show the changes as a patch; write nothing"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kFix = {
    .name = "fix",
    .summary = "Plan and make repairs of what check and lint find",
    .operands = {.shown = "PATH...", .least = 1, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(Levels, the mildest first: format-only, behavior-preserving, scope-local, surface-changing, capability-changing.
A repair of a level is made by `--apply` with that level or a higher one; what needs a person is never made.)",
    .run = run_fix,
};

}  // namespace harn::cli
