#pragma once

#include <memory>
#include <string>
#include <vector>

#include "effects/http_stream.h"
#include "llm/call_model.h"
#include "llm/wire.h"

// One call of a model, from its request to the last byte of the answer: over HTTP, or by the program of a coding agent. On a fiber, for one
// task at a time. Redirects are not followed: a key goes to the address that was configured and to nobody else.
namespace harn::llm {

class Exchange {
 public:
  Exchange(effects::Run& run, const ModelRequest& request);
  ~Exchange();  // drops what has not been read
  Exchange(const Exchange&) = delete;

  // Sends the request and waits for the head of the answer. The failure, or nil.
  vm::Outcome<vm::Value> begin();
  // Waits for more. True: that was the end, and `end` has the answer or the failure.
  vm::Outcome<bool> read(std::vector<vm::Value>& deltas, ModelAnswer& end);

 private:
  vm::Outcome<vm::Value> run_agent();
  vm::Outcome<bool> finish(ModelAnswer& end);
  vm::Outcome<vm::Value> failed_answer(const effects::OpenHttp::Answer& head);
  vm::Value broken(effects::HttpFailure failure, const std::string& message) const;
  vm::Value failed(std::string_view category, const std::string& message) const;
  vm::Value blocked(std::string_view reason) const;
  vm::Outcome<void> sign(WireCall& call, std::string_view key);
  vm::Value without_keys(const vm::Value& failure) const;
  vm::Outcome<bool> ended_by(vm::Thrown error, ModelAnswer& end) const;
  int64_t time_left_ms() const;

  effects::Run& run_;
  const vm::Value request_;
  const int64_t idle_timeout_ms_;
  const int64_t timeout_ms_;
  vm::Nanoseconds due_;
  std::shared_ptr<const Provider> provider_;
  std::string request_id_;
  std::unique_ptr<Decoder> decoder_;
  uint64_t stream_ = 0;     // of HTTP; 0: none is open
  std::string said_;        // by a coding agent: all of it
  bool has_begun_ = false;  // the provider has said something
};

}  // namespace harn::llm
