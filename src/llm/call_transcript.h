#pragma once

#include <string>

#include "llm/call_model.h"

// What models were asked and what they answered, for people and for agent_session_seed_from_jsonl: two lines of JSON for each call, in
// `llm_transcript.jsonl` in the folder that HARN_LLM_TRANSCRIPT_DIR names. Without that variable nothing happens.
//
//   {"type": "provider_call_request", "call_id", "timestamp", "provider", "model", "request": {system, messages, tools, ...}}
//   {"type": "provider_call_response", "call_id", "timestamp", "provider", "model", "duration_ms", "response" or "failure"}
//
// Secrets are left out. Part of the effect that calls the model: a replay writes nothing.
namespace harn::llm {

// One call. Made before it is sent: who wants it written down does not want to pay for what cannot be.
class CallTranscript {
 public:
  static vm::Outcome<CallTranscript> begin(effects::Run& run, const vm::Value& request);
  vm::Outcome<void> end(effects::Run& run, const ModelAnswer& answer) const;

 private:
  std::string path_;  // empty: nothing is written down
  std::string call_id_;
  std::string provider_, model_;
  int64_t begun_ms_ = 0;
};

}  // namespace harn::llm
