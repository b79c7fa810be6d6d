// `harn runs`: what was kept of runs whose programs had agents work.
#include <algorithm>
#include <filesystem>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/run_records.h"
#include "cli/workspace_program.h"
#include "data/json.h"
#include "engine/machine.h"
#include "llm/accounts.h"
#include "llm/fields.h"

namespace harn::cli {

using llm::field, llm::int_field, llm::items_field, llm::json_text, llm::text_field;
using vm::Value;

namespace {

struct Record {
  std::string path;
  Value value;
};

Result<Record> read_record(const std::string& path) {
  auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto value = data::parse_json(*text);
  if (!value || text_field(*value, "_type") != "run_record")
    return fail(ErrorKind::Invalid, path + ": is no record of a run");
  return Record{path, *std::move(value)};
}

// The newest first.
Result<std::vector<std::string>> record_paths(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  if (failed && failed != std::errc::no_such_file_or_directory)
    return fail(ErrorKind::Runtime, fmt::format("{}: {}", folder, failed.message()));
  std::ranges::sort(paths, std::greater());
  return paths;
}

std::string cost_text(const Value& usage) {
  const Value& known = field(usage, "cost_usd");
  const Value& cost = known.is_nil() ? field(usage, "total_cost") : known;  // of a workflow
  if (cost.is_nil()) return llm::cost_text(0, 1, 1);
  return llm::cost_text(cost.as_number(), int_field(usage, "call_count").value_or(0),
                        int_field(usage, "unpriced_calls").value_or(0));
}

std::string one_line(std::string_view text, size_t most) {
  std::string out(text.substr(0, text::char_offset(text, most)));
  std::ranges::replace(out, '\n', ' ');
  return out.size() < text.size() ? out + "..." : out;
}

std::string line_of(const Record& record) {
  const Value& usage = field(record.value, "usage");
  return fmt::format("{}  {:<9}  {:>3} calls  {:>8} tokens  {:>9}  {}\n", text_field(record.value, "id"),
                     text_field(record.value, "status"), int_field(usage, "call_count").value_or(0),
                     int_field(usage, "input_tokens").value_or(0) + int_field(usage, "output_tokens").value_or(0),
                     cost_text(usage), one_line(text_field(record.value, "task"), 60));
}

int list_runs(const std::string& folder, bool json) {
  auto paths = record_paths(folder);
  if (!paths) return fail_with(paths.error().message);
  std::string out, all;
  for (const std::string& path : *paths) {
    auto record = read_record(path);
    if (!record) {
      write_error(fmt::format("harn: {}\n", record.error().message));
      continue;
    }
    if (json) all += (all.empty() ? "" : ",") + json_text(record->value);
    else out += line_of(*record);
  }
  if (json) out = fmt::format("{{\"runs\":[{}]}}\n", all);
  else if (out.empty()) out = fmt::format("no runs in {}\n", folder);
  write_out(out);
  return 0;
}

// By its path, its id, the beginning of its id, or `last`.
Result<Record> find_record(const std::string& folder, const std::string& wanted) {
  if (exists(wanted)) return read_record(wanted);
  auto paths = record_paths(folder);
  if (!paths) return std::unexpected(paths.error());
  if (wanted == "last" && !paths->empty()) return read_record(paths->front());
  std::vector<std::string> found;
  for (const std::string& path : *paths) {
    if (std::filesystem::path(path).stem().string().starts_with(wanted)) found.push_back(path);
  }
  if (found.size() == 1) return read_record(found[0]);
  if (found.empty())
    return fail(ErrorKind::NotFound, fmt::format("no run '{}' in {}; `harn runs list` shows them", wanted, folder));
  return fail(ErrorKind::Invalid, fmt::format("{} runs begin with '{}'", found.size(), wanted));
}

// Of a workflow: what its node has become, and which way it went on.
std::string node_text(const Value& stage) {
  std::string out = fmt::format("\n{} ({}: {}, branch {})\n", text_field(stage, "node_id"), text_field(stage, "kind"),
                                text_field(stage, "status"), text_field(stage, "branch"));
  const Value& usage = field(stage, "usage");
  size_t attempts = items_field(stage, "attempts").size();
  if (attempts > 1) out += fmt::format("  attempts: {}\n", attempts);
  if (int_field(usage, "call_count").value_or(0) > 0)
    out += fmt::format("  tokens:  {} in + {} out\n", int_field(usage, "input_tokens").value_or(0),
                       int_field(usage, "output_tokens").value_or(0));
  for (const Value& attempt : items_field(stage, "attempts")) {
    std::string error = one_line(text_field(attempt, "error"), 200);
    if (!error.empty()) out += fmt::format("  error:   {}\n", error);
  }
  std::string said = one_line(text_field(stage, "visible_text"), 2000);
  return said.empty() ? out : out + fmt::format("  said:    {}\n", said);
}

std::string stage_text(const Value& stage) {
  if (text_field(stage, "kind") != "agent_loop") return node_text(stage);
  const Value &usage = field(stage, "usage"), &tools = field(stage, "tools");
  std::string used;
  for (const Value& name : items_field(tools, "calls"))
    used += (used.empty() ? "" : ", ") + std::string(llm::text_of(name));
  std::string out = fmt::format(
      "\n{} ({})\n  task:    {}\n  turns:   {}\n  tokens:  {} in + {} out\n  tools:   {}\n",
      text_field(stage, "node_id"), text_field(stage, "outcome"), one_line(text_field(stage, "task"), 200),
      int_field(field(stage, "trace"), "iterations").value_or(0), int_field(usage, "input_tokens").value_or(0),
      int_field(usage, "output_tokens").value_or(0), used.empty() ? "none" : used);
  return out + fmt::format("  said:    {}\n", one_line(text_field(stage, "visible_text"), 2000));
}

// A run of a workflow is a part of a program, and has no exit code.
std::string head_text(const Value& run) {
  const Value& usage = field(run, "usage");
  auto code = int_field(run, "exit_code");
  int64_t calls = int_field(usage, "call_count").value_or(0);
  std::string status(text_field(run, "status"));
  return fmt::format("{}\n  {} {}\n  status:  {}\n  time:    {} to {}\n  models:  {} {}, {} in + {} out tokens, {}\n",
                     text_field(run, "id"), code ? "program:" : "workflow:", text_field(run, "workflow_name"),
                     code ? fmt::format("{} (exit code {})", status, *code) : status, text_field(run, "started_at"),
                     text_field(run, "finished_at"), calls, calls == 1 ? "call" : "calls",
                     int_field(usage, "input_tokens").value_or(0), int_field(usage, "output_tokens").value_or(0),
                     cost_text(usage));
}

// Of a task: in src/std/workspace/runs.harn, which shows what its log has. A record that was brought from elsewhere is all there is.
int show_task_run(const Arguments& arguments, const Record& record, bool is_elsewhere) {
  std::string more =
      fmt::format(R"("record":{},"is_elsewhere":{})", json_text(field(record.value, "workspace")), is_elsewhere);
  return run_workspace_program(arguments, "runs", more);
}

int show_run(const Arguments& arguments, const std::string& folder) {
  std::string wanted(arguments.operands()[1]);
  auto record = find_record(folder, wanted);
  if (!record) return fail_with(record.error().message);
  const Value& run = record->value;
  if (!field(run, "workspace").is_nil())
    return show_task_run(arguments, *record, exists(wanted) || arguments.has("--dir"));
  if (arguments.has("--json")) {
    write_out(json_text(run) + "\n");
    return 0;
  }
  std::string out = head_text(run);
  int64_t left_out = int_field(run, "stages_left_out").value_or(0);
  if (left_out > 0) out += fmt::format("\n{} earlier agents are left out\n", left_out);
  for (const Value& stage : items_field(run, "stages")) out += stage_text(stage);
  write_out(out);
  return 0;
}

// What only runs of tasks have; src/std/workspace/runs.harn does it.
constexpr std::string_view kTaskActions[] = {"watch",  "approve", "deny",      "cancel", "resume",
                                             "replay", "diff",    "artifacts", "verify"};

// Runs of tasks are where their workspace is, wherever in it somebody stands.
std::string default_folder() {
  std::string folder = run_folder();
  if (folder.starts_with("/") || exists(folder)) return folder;
  std::string of_workspace = workspace_home() + "/" + folder;
  return exists(of_workspace) ? of_workspace : folder;
}

int run(const Arguments& arguments) {
  std::string folder(arguments.text("--dir").value_or(std::string_view()));
  if (folder.empty()) folder = default_folder();
  auto words = arguments.operands();
  if (words[0] == "list" && words.size() == 1) return list_runs(folder, arguments.has("--json"));
  if (std::ranges::find(kTaskActions, words[0]) != std::end(kTaskActions) && words.size() >= 2)
    return run_workspace_program(arguments, "runs");
  if (words[0] == "show" && words.size() == 2) return show_run(arguments, folder);
  return report_usage(arguments, {"expected `list`, or an action and a run such as `show last`"});
}

constexpr Option kOptions[] = {
    {.name = "--dir",
     .value = "FOLDER",
     .kind = ValueKind::Path,
     .help = "where the records are (default: HARN_RUN_DIR, or .harn-runs)"},
    {.name = "--json", .help = "print the records as JSON"},
    {.name = "--reason", .value = "TEXT", .help = "why, for `deny` and `cancel`"},
    kLlmMock,
    kLlmMockRecord,
};

}  // namespace

constinit const Command kRuns = {
    .name = "runs",
    .summary = "Show what agents did in earlier runs",
    .operands = {.shown = "list | ACTION RUN [REQUEST | RUN]", .least = 1, .most = 3},
    .options = kOptions,
    .notes =
        R"(A run whose program had agents work leaves a record in .harn-runs (HARN_RUN_DIR), and so does each run of a workflow. `list` shows them, the newest
first; `show` one of them, by its id, the beginning of it, its file, or `last`.

Runs of tasks (`harn task run`) have more actions:
  watch            what happens, until the run has ended
  approve, deny    decide about what waits for approval, all or one REQUEST, and go on
  cancel, resume   end a run; go on with one whose process was ended
  replay           the same again from the record, which opens nothing; exit code 3 where it differs
  diff             where two runs differ
  artifacts        the files that it has written
  verify           whether the decisions are genuine, and what was run is what was approved)",
    .run = run,
};

}  // namespace harn::cli
