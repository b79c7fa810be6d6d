#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bytecode/code.h"
#include "effects/run.h"
#include "effects/state.h"
#include "vm/vm.h"

namespace harn::builtins {
class Library;
}

namespace harn::engine {

// Everything that is decided before a program runs.
struct Settings {
  vm::Limits limits;
  unsigned workers = 0;  // threads that run tasks; 0: one for each processor
  // What it may do, and where its randomness comes from. Not given: as the environment says (HARN_DENY, HARN_SEED).
  std::optional<effects::Authority> authority;
  effects::Policy sandbox;                     // narrows what it may do further
  const builtins::Library* library = nullptr;  // the builtins; null: those that come with Harn
};

// What a program sees of the world it was started in.
struct Surroundings {
  std::vector<std::string_view> args;  // `argv`
  std::string task;
  std::string project_root;
  // Where it keeps what outlives it. Not given: nowhere, as for tests.
  effects::StateHome state = {};
  bool serves_mcp = false;  // when it has run, it answers its client (builtins/mcp_server.h)
};

// The entry pipeline: `default`, else the first; null when the program is a script.
const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program);

// A VM that is ready to run a program, and the way a program is run. Commands and the embedding API have their VMs from
// here; a thread that makes one uses it, as with a Vm.
//
//   Machine machine(host, {.limits = limits});
//   auto outcome = machine.run(std::move(program), surroundings);
class Machine {
 public:
  Machine(vm::Host& host, const Settings& settings);

  vm::Vm& vm() { return vm_; }

  // Runs the modules. The value is that of the main module.
  vm::Outcome<vm::Value> load(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings);
  // Runs the modules, then the entry pipeline, or the pipeline `test` of the program if given, and ends its tasks; unless
  // it is to be put away (src/park) and stands still.
  vm::Outcome<vm::Value> run(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                             std::optional<size_t> test = {});

  // The same for a program that was put away: makes it the one that was, and runs the rest of it.
  Result<void> take_up(std::unique_ptr<bytecode::Program> program, std::string_view state);
  vm::Outcome<vm::Value> go_on(const Surroundings& surroundings);

 private:
  void set_state_home(const Surroundings& surroundings, std::string_view main_path);
  vm::Outcome<vm::Value> call_entry(const Surroundings& surroundings);
  vm::Outcome<vm::Value> end_entry(vm::Value value);
  vm::Outcome<vm::Value> run_rest(const Surroundings& surroundings);
  // Ends the tasks of a program that has ended.
  vm::Outcome<vm::Value> finished(vm::Outcome<vm::Value> outcome);
  vm::Outcome<vm::Value> run_entry(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                                   std::optional<size_t> test);
  vm::Vm vm_;
  std::optional<bytecode::PipelineEntry> entry_;
};

}  // namespace harn::engine
