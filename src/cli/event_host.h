#pragma once

#include <atomic>
#include <string_view>

#include "base/mutex.h"
#include "cli/json.h"
#include "cli/process_host.h"
#include "vm/value.h"

namespace harn::cli {

// `harn run --json`: everything the program writes becomes an event, one JSON line each.
class EventHost : public ProcessHost {
 public:
  void write(vm::Stream stream, std::string_view text) override;
  bool is_terminal(vm::Stream) override { return false; }

  // What agents do becomes events, too, without secrets that the program has read.
  void watch_agents(vm::Vm& vm);

  void write_result(std::string_view value_json, int exit_code);
  void write_failure(std::string_view code, std::string_view message);

 private:
  void last_words() override;
  void write_agent_event(const vm::Value& event);
  void write_event(std::string_view kind, std::string_view fields, const Problem& problem = {});

  Mutex events_lock_;
  std::atomic<int> sequence_ = 0;
};

}  // namespace harn::cli
