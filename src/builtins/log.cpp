#include <ctime>
#include <string>

#include "base/result.h"
#include "builtins/families.h"
#include "data/json.h"
#include "builtins/terminal.h"
#include "effects/clock.h"

// Structured log lines: one JSON object per line on standard output.
namespace harn::builtins {
namespace {

using namespace vm;

// 2026-01-31T12:34:56.789Z
std::string timestamp(int64_t now_ms) {
  int64_t ms = ((now_ms % 1000) + 1000) % 1000;
  time_t seconds = static_cast<time_t>((now_ms - ms) / 1000);
  tm utc{};
  gmtime_r(&seconds, &utc);
  return harn::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                      utc.tm_hour, utc.tm_min, utc.tm_sec, ms);
}

void append_scalar(std::string& out, const Value& value) {
  bool is_scalar = value.is_nil() || value.is_bool() || value.is_number() || value.is_string();
  if (is_scalar) data::append_json(out, value);
  else data::append_json_string(out, display(value));
}

Outcome<Value> write_line(Call& call, LogLevel level, std::string_view name) {
  if (level < Terminal::of(call.vm()).log_level) return Value();
  std::string line = harn::format(R"({{"ts":"{}","level":"{}","msg":)",
                                  timestamp(effects::wall_ms(effects::Run::current(call.vm()))), name);
  data::append_json_string(line, display(call.arg(0)));
  if (!call.arg(1).is_nil()) {
    for (auto [key, value] : HARN_TRY(call.dict(1))->entries()) {
      line += ',';
      data::append_json_string(line, key->view());
      line += ':';
      append_scalar(line, *value);
    }
  }
  line += "}\n";
  return write_text(call, Stream::Out, std::move(line));
}

Outcome<Value> log_debug(Call& call) { return write_line(call, LogLevel::Debug, "debug"); }
Outcome<Value> log_info(Call& call) { return write_line(call, LogLevel::Info, "info"); }
Outcome<Value> log_warn(Call& call) { return write_line(call, LogLevel::Warn, "warn"); }
Outcome<Value> log_error(Call& call) { return write_line(call, LogLevel::Error, "error"); }

Outcome<Value> log_set_level(Call& call) {
  auto level = HARN_TRY(call.text(0));
  LogLevel& current = Terminal::of(call.vm()).log_level;
  if (level == "debug") current = LogLevel::Debug;
  else if (level == "info") current = LogLevel::Info;
  else if (level == "warn") current = LogLevel::Warn;
  else if (level == "error") current = LogLevel::Error;
  else
    return throw_text(ErrorKind::Invalid, "log_set_level: invalid level '{}'. Expected debug, info, warn, or error",
                      level);
  return Value();
}

Outcome<Value> log_json(Call& call) {
  std::string line =
      harn::format(R"({{"ts":"{}","key":)", timestamp(effects::wall_ms(effects::Run::current(call.vm()))));
  data::append_json_string(line, display(call.arg(0)));
  line += R"(,"value":)";
  auto written = data::append_json(line, call.arg(1));
  if (!written) return runtime_error(written.error().kind, "log_json: {}", written.error().text());
  line += "}\n";
  return write_text(call, Stream::Out, std::move(line));
}

constexpr std::string_view kLine = "(message: any, fields?: dict) -> nil";

constinit const Builtin kRows[] = {
    {.name = "log_debug",
     .signature = kLine,
     .doc = "Writes a JSON log line of level debug.",
     .example = R"(log_debug("m", {n: 1}) == nil)",
     .needs = Capability::Output,
     .call = log_debug},
    {.name = "log_error",
     .signature = kLine,
     .doc = "Writes a JSON log line of level error.",
     .example = R"(log_error("m", {n: 1}) == nil)",
     .needs = Capability::Output,
     .call = log_error},
    {.name = "log_info",
     .signature = kLine,
     .doc = "Writes a JSON log line of level info.",
     .example = R"(log_info("m", {n: 1}) == nil)",
     .needs = Capability::Output,
     .call = log_info},
    {.name = "log_json",
     .signature = "(key: any, value: any) -> nil",
     .doc = "Writes a JSON line with a key and a value.",
     .example = R"(log_json("k", [1]) == nil)",
     .needs = Capability::Output,
     .call = log_json},
    {.name = "log_set_level",
     .signature = "(level: string) -> nil",
     .doc = "Hides log lines below `debug`, `info`, `warn` or `error`.",
     .example = R"(log_set_level("debug") == nil)",
     .call = log_set_level},
    {.name = "log_warn",
     .signature = kLine,
     .doc = "Writes a JSON log line of level warn.",
     .example = R"(log_warn("m", {n: 1}) == nil)",
     .needs = Capability::Output,
     .call = log_warn},
};

}  // namespace

std::span<const vm::Builtin> log_rows() { return kRows; }

}  // namespace harn::builtins
