#pragma once

#include <memory>
#include <string>

#include "cli/process_host.h"
#include "vm/vm.h"

// What a person at a terminal sees of a program's agents while it runs: turns, what the model says, tool calls, and a line that
// tells how far it is. Everything goes to standard error, and to a terminal only; the program's own output stays as it is.
namespace harn::cli {

class AgentView {
 public:
  // Whether it says at the end what models have cost: runs of workspaces do that themselves, for all processes that have worked on them.
  enum class Totals { Shown, Hidden };

  // Null where nobody looks: no terminal, or HARN_AGENT_VIEW=off.
  static std::unique_ptr<AgentView> begin(vm::Vm& vm, ProcessHost& host, Totals totals);
  ~AgentView();

  void hear(const vm::Value& event);

 private:
  AgentView(vm::Vm& vm, ProcessHost& host, Totals totals);
  void say(std::string_view mark, std::string_view text, std::string_view colour);
  void say_pending();
  void show_status();

  vm::Vm& vm_;
  ProcessHost& host_;
  Totals totals_;
  bool has_colours_;
  std::string pending_;  // what the model has said of its message so far
  std::string doing_;    // the tool that runs
  int64_t turn_ = 0;
  int64_t began_ms_ = 0;
};

// "3 calls, 1,204 in + 320 out tokens, $0.0123"; empty when no model was called.
std::string model_use_text(vm::Vm& vm);
// {"call_count", "input_tokens", "output_tokens", "time_ms", "cost_usd"}; cost_usd is null when it is not known.
std::string model_use_json(vm::Vm& vm);

}  // namespace harn::cli
