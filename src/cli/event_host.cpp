#include "cli/event_host.h"

#include "base/fmt.h"

namespace harn::cli {

constexpr int kSchemaVersion = 1;

void EventHost::write_event(std::string_view kind, std::string_view fields,
                            const Problem& problem) {
  std::lock_guard lock(events_lock_);
  std::string data =
      fmt::format("{{\"event_type\":\"{}\",\"seq\":{},{}}}", kind, ++sequence_, fields);
  ProcessHost::write(vm::Stream::Out, envelope(kSchemaVersion, data, problem));
  flush();
}

void EventHost::write(vm::Stream stream, std::string_view text) {
  std::string payload = JsonWriter().text(text).take();
  write_event(stream == vm::Stream::Err ? "stderr" : "stdout", "\"payload\":" + payload);
}

void EventHost::write_result(std::string_view value_json, int exit_code) {
  write_event("result", fmt::format("\"value\":{},\"exit_code\":{}", value_json, exit_code));
}

void EventHost::write_failure(std::string_view code, std::string_view message) {
  JsonWriter error;
  error.object().field("code", code).field("message", message).end();
  write_event("error", "\"error\":" + error.take(), {std::string(code), std::string(message)});
}

}  // namespace harn::cli
