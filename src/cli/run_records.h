#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "base/result.h"
#include "vm/vm.h"

// What is kept of a run whose program had agents work: one file of JSON each, in .harn-runs (HARN_RUN_DIR). `harn runs` shows
// them.
namespace harn::cli {

// Notes what agents do while the program runs, and writes it down afterwards. A replay is no run of its own, and a
// workspace has its own records: nothing is written then.
class RunRecords {
 public:
  RunRecords(vm::Vm& vm, bool is_silent);

  // Nothing is written when no agent has worked. That it cannot be written is told on standard error; the run was good.
  void write(const std::string& program, int exit_code);

 private:
  void hear(const vm::Value& event);
  void keep(std::string stage);

  vm::Vm& vm_;
  std::chrono::system_clock::time_point
      started_at_;                  // a text of it costs more than all else here, and few programs need one
  std::deque<std::string> stages_;  // JSON, one for each agent loop that has ended; of many the last
  size_t loops_ = 0;                // how many have ended
  size_t bytes_ = 0;                // of `stages_`
  std::string last_status_;
  std::string task_;
};

// Where they are.
std::string run_folder();

}  // namespace harn::cli
