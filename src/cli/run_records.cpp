#include "cli/run_records.h"

#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "base/fmt.h"
#include "builtins/agent_events.h"
#include "cli/agent_view.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"
#include "effects/run.h"
#include "llm/fields.h"

namespace harn::cli {

using llm::field, llm::json_text, llm::text_field;
using vm::Value;

namespace {

// "2026-01-31T12:00:00.000Z"
std::string text_of(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  std::time_t seconds = system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  auto rest = time_point_cast<milliseconds>(time).time_since_epoch().count() % 1000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, rest);
}

// Sorts by time: "run_20260131T120000_1f3a9c02".
std::string new_id(std::string_view started_at) {
  std::string when;
  for (char c : started_at.substr(0, 19)) {
    if (c != '-' && c != ':') when += c;
  }
  return fmt::format("run_{}_{:08x}", when, std::random_device{}());
}

// A server's agents work for as long as it runs: its record has the last of them.
constexpr size_t kMostStages = 1000;
constexpr size_t kMostBytes = 16 << 20;

}  // namespace

std::string run_folder() {
  const char* given = getenv("HARN_RUN_DIR");
  return given && *given ? given : ".harn-runs";
}

// The program that is written about may have put a link there, which leads where it may not write itself.
static Result<void> write_record(const std::string& id, std::string_view text) {
  std::string folder = run_folder();
  struct stat info;
  const char* given = getenv("HARN_RUN_DIR");
  bool is_link = lstat(folder.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  if (is_link && !(given && *given))
    return fail(ErrorKind::Denied,
                fmt::format("{} is a link; name the folder in HARN_RUN_DIR if that is meant", folder));
  mkdir(folder.c_str(), 0777);  // may be there
  return write_private_file(folder + "/" + id + ".json", text);
}

RunRecords::RunRecords(vm::Vm& vm, bool is_silent) : vm_(vm) {
  if (is_silent) return;
  started_at_ = std::chrono::system_clock::now();
  builtins::AgentEvents::of(vm).listen([this](const Value& event) { hear(event); }, "loop_complete");
}

void RunRecords::hear(const Value& event) {
  if (text_field(event, "type") != "loop_complete") return;
  // What a workflow has agents do is in the record of its own run.
  if (!text_field(event, "run_id").empty()) return;
  last_status_ = text_field(event, "status");
  if (loops_++ == 0) task_ = text_field(event, "task");
  keep(fmt::format(
      R"({{"id":"stage_{}","node_id":{},"kind":"agent_loop","task":{},"status":"completed","outcome":{},"stop_reason":{},"started_at":{},"finished_at":{},"visible_text":{},"usage":{},"tools":{},"trace":{}}})",
      loops_, json_text(field(event, "session_id")), json_text(field(event, "task")), json_text(field(event, "status")),
      json_text(field(event, "stop_reason")), json_text(field(event, "started_at")),
      json_text(field(event, "finished_at")), json_text(field(event, "visible_text")), json_text(field(event, "usage")),
      json_text(field(event, "tools")), json_text(field(event, "trace"))));
}

void RunRecords::keep(std::string stage) {
  bytes_ += stage.size();
  stages_.push_back(std::move(stage));
  while (stages_.size() > kMostStages || (bytes_ > kMostBytes && stages_.size() > 1)) {
    bytes_ -= stages_.front().size();
    stages_.pop_front();
  }
}

void RunRecords::write(const std::string& program, int exit_code) {
  builtins::AgentEvents::of(vm_).stop();
  if (stages_.empty()) return;
  std::string started_at = text_of(started_at_), id = new_id(started_at), stages;
  for (const std::string& stage : stages_) stages += (stages.empty() ? "" : ",") + stage;
  std::string text = fmt::format(
      R"({{"_type":"run_record","id":"{}","workflow_name":{},"task":{},"status":"{}","exit_code":{},"started_at":"{}","finished_at":"{}","usage":{},"stages_left_out":{},"stages":[{}]}})"
      "\n",
      id, JsonWriter().text(program).take(), JsonWriter().text(task_).take(), exit_code == 0 ? "completed" : "failed",
      exit_code, started_at, text_of(std::chrono::system_clock::now()), model_use_json(vm_), loops_ - stages_.size(),
      stages);
  auto written = write_record(id, effects::Run::of(vm_).world().secrets.hidden(text));
  if (!written) write_error(fmt::format("harn: the record of this run was not written: {}\n", written.error().message));
}

}  // namespace harn::cli
