#include "cli/event_host.h"

#include <unistd.h>

#include <cstdio>

#include "base/fmt.h"
#include "builtins/agent_events.h"
#include "effects/run.h"
#include "llm/fields.h"

namespace harn::cli {

constexpr int kSchemaVersion = 1;

void EventHost::write_event(std::string_view kind, std::string_view fields, const Problem& problem) {
  std::lock_guard lock(events_lock_);
  std::string data = fmt::format("{{\"event_type\":\"{}\",\"seq\":{},{}}}", kind, sequence_ + 1, fields);
  std::string line = envelope(kSchemaVersion, data, problem);
  ++sequence_;
  ProcessHost::write(vm::Stream::Out, line);
  flush();
}

// The event that write_failure would write, without the memory it would need.
void EventHost::last_words() {
  try_flush();
  char line[512];
  int size = snprintf(line, sizeof line,
                      "{\"schemaVersion\":%d,\"ok\":false,\"data\":{\"event_type\":\"error\",\"seq\":%d,\"error\":"
                      "{\"code\":\"out_of_memory\",\"message\":\"out of memory\"}},\"error\":"
                      "{\"code\":\"out_of_memory\",\"message\":\"out of memory\",\"details\":null},\"warnings\":[]}\n",
                      kSchemaVersion, ++sequence_);
  write_fully(STDOUT_FILENO, {line, static_cast<size_t>(size)});
}

void EventHost::write(vm::Stream stream, std::string_view text) {
  std::string payload = JsonWriter().text(text).take();
  write_event(stream == vm::Stream::Err ? "stderr" : "stdout", "\"payload\":" + payload);
}

void EventHost::watch_agents(vm::Vm& vm) {
  effects::SharedSecrets& secrets = effects::Run::of(vm).world().secrets;
  builtins::AgentEvents::of(vm).listen(
      [this, &secrets](const vm::Value& event) { write_agent_event(effects::hidden(secrets, event)); });
}

// Tool calls have events of their own; everything else is told as it is.
void EventHost::write_agent_event(const vm::Value& event) {
  using llm::field, llm::json_text, llm::text_field;
  std::string_view type = text_field(event, "type");
  std::string call = fmt::format("\"call_id\":{}", json_text(field(event, "tool_call_id")));
  if (type == "tool_call") {
    write_event("tool_call",
                fmt::format("{},\"name\":{},\"args\":{},\"started_at\":{}", call, json_text(field(event, "tool_name")),
                            json_text(field(event, "raw_input")), now_ms()));
  } else if (type == "tool_call_update") {
    write_event("tool_result",
                fmt::format("{},\"ok\":{},\"result\":{}", call, text_field(event, "status") == "completed",
                            json_text(field(event, "raw_output"))));
  } else {
    write_event("transcript",
                fmt::format("\"agent_id\":{},\"kind\":{},\"payload\":{}", json_text(field(event, "session_id")),
                            json_text(field(event, "type")), json_text(event)));
  }
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
