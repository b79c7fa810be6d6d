#include "llm/call_transcript.h"

#include <atomic>

#include "base/result.h"
#include "effects/environment.h"
#include "effects/model_settings.h"
#include "effects/state_files.h"
#include "llm/fields.h"
#include "vm/clock.h"
#include "vm/vm.h"

namespace harn::llm {

using namespace vm;
using effects::Run;

namespace {

Outcome<std::string> folder_of(Run& run) {
  effects::ReadModelVariables request{{"HARN_LLM_TRANSCRIPT_DIR"}, {}};
  auto found = HARN_TRY(effects::carry_out(run, request));
  return found.values.empty() ? std::string() : found.values[0];
}

// Unlike that of any other call in the file, which other processes may write to.
Outcome<std::string> next_id(Run& run) {
  struct Calls {
    std::atomic<uint64_t> last{0};
  };
  auto process = HARN_TRY(effects::carry_out(run, effects::AskSystem{effects::SystemFact::ProcessId}));
  Vm& vm = Scheduler::current().scheduler->vm();
  return fmt::format("call_{}_{}_{}", run.clock().wall_ms(), process, ++vm.local<Calls>().last);
}

DictBuilder line_of(std::string_view type, std::string_view id, int64_t now, std::string_view provider,
                    std::string_view model) {
  DictBuilder out;
  out.add("type", text_value(type)).add("call_id", text_value(id)).add("timestamp", Value::integer(now));
  out.add("provider", text_value(provider)).add("model", text_value(model));
  return out;
}

Outcome<void> append(Run& run, const std::string& path, const Value& line) {
  HARN_CHECK(effects::append_line(run, path, run.world().secrets.hidden(json_text(line))));
  return {};
}

}  // namespace

Outcome<CallTranscript> CallTranscript::begin(Run& run, const Value& request) {
  CallTranscript call;
  std::string folder = HARN_TRY(folder_of(run));
  if (folder.empty()) return call;
  call.path_ = folder + "/llm_transcript.jsonl";
  call.call_id_ = HARN_TRY(next_id(run));
  call.provider_ = text_field(request, "provider");
  call.model_ = text_field(request, "model");
  call.begun_ms_ = run.clock().wall_ms();
  DictBuilder line = line_of("provider_call_request", call.call_id_, call.begun_ms_, call.provider_, call.model_);
  HARN_CHECK(append(run, call.path_, line.add("request", request).done()));
  return call;
}

Outcome<void> CallTranscript::end(Run& run, const ModelAnswer& answer) const {
  if (path_.empty()) return {};
  int64_t now = run.clock().wall_ms();
  DictBuilder line = line_of("provider_call_response", call_id_, now, provider_, model_);
  line.add("duration_ms", Value::integer(now - begun_ms_));
  bool is_failure = answer.answer.is_nil();
  return append(run, path_,
                line.add(is_failure ? "failure" : "response", is_failure ? answer.failure : answer.answer).done());
}

}  // namespace harn::llm
