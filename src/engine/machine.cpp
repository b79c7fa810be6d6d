#include "engine/machine.h"

#include <cstdlib>

#include "base/fmt.h"
#include "base/result.h"
#include "builtins/policies.h"
#include "builtins/lifecycle.h"
#include "builtins/mcp_server.h"
#include "builtins/parking.h"
#include "builtins/registry.h"
#include "compile/catalog.h"
#include "park/park.h"
#include "precompiled/prelude.h"
#include "vm/claim.h"
#include "vm/scheduler.h"

namespace harn::engine {

static vm::VmOptions vm_options(const Settings& settings) {
  vm::VmOptions options;
  options.limits = settings.limits;
  options.workers = settings.workers;
  options.eager_workers = getenv("HARN_EAGER_WORKERS") != nullptr;
  options.load_prelude = [](std::string_view part) {
    return builtins::load_prelude(part, precompiled::prelude_part(part));
  };
  return options;
}

Machine::Machine(vm::Host& host, const Settings& settings)
    : vm_(settings.library ? settings.library->table() : builtins::table(), host, vm_options(settings)) {
  if (settings.authority) effects::Run::begin(vm_, *settings.authority, settings.sandbox);
  else if (settings.sandbox.workspace || !settings.sandbox.deny.empty() || !settings.sandbox.ask.empty())
    effects::Run::begin(vm_, effects::Run::environment_authority(host), settings.sandbox);
  builtins::hear_of_approvals(vm_);
}

const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program) {
  for (const auto& pipeline : program.pipelines) {
    if (pipeline.name == "default") return &pipeline;
  }
  return program.pipelines.empty() ? nullptr : &program.pipelines[0];
}

static vm::Value make_context(const Surroundings& surroundings) {
  return vm::DictBuilder()
      .add("task", vm::text_value(surroundings.task))
      .add("project_root", vm::text_value(surroundings.project_root))
      .add("task_type", vm::text_value(""))
      .done();
}

static vm::Value make_argv(const Surroundings& surroundings) {
  auto list = vm::new_list(surroundings.args.size());
  for (std::string_view arg : surroundings.args) list->push(vm::text_value(arg));
  return vm::Value(std::move(list));
}

static vm::Value bind_parameter(const bytecode::PipelineEntry::Param& param, const Surroundings& surroundings) {
  if (param.name == "task") return vm::text_value(surroundings.task);
  if (param.name == "project") return vm::text_value(surroundings.project_root);
  return param.has_default ? vm::Value::unset() : vm::Value();
}

// The name of the file without its folder and `.harn`. The names of programs that are in no file, such as `<eval>`, lose their brackets.
static std::string program_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".harn")) name.remove_suffix(std::string_view(".harn").size());
  if (name.starts_with('<') && name.ends_with('>')) name = name.substr(1, name.size() - 2);
  return name.empty() ? "main" : std::string(name);
}

// Checkpoints are those of the entry pipeline; those of a program without one have the name of its file.
void Machine::set_state_home(const Surroundings& surroundings, std::string_view main_path) {
  effects::StateHome home = surroundings.state;
  home.pipeline = entry_ ? entry_->name : program_name(main_path);
  effects::set_state_home(vm_, std::move(home));
}

vm::Outcome<vm::Value> Machine::load(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings) {
  vm_.preset_global(compile::kGlobalArgv, make_argv(surroundings));
  vm_.preset_global(compile::kGlobalContext, make_context(surroundings));
  const SourcePtr& source = program->modules.back()->source;
  set_state_home(surroundings, source ? source->path() : std::string_view());
  return vm_.load(std::move(program));
}

vm::Outcome<vm::Value> Machine::call_entry(const Surroundings& surroundings) {
  std::vector<vm::Value> args;
  for (const auto& param : entry_->params) args.push_back(bind_parameter(param, surroundings));
  vm::Value value = HARN_TRY(vm_.call(vm_.global(entry_->global), args));
  return end_entry(std::move(value));
}

vm::Outcome<vm::Value> Machine::end_entry(vm::Value value) {
  if (vm_.scheduler().stands_still()) return value;
  return builtins::finish_pipeline(vm_, std::move(value));
}

vm::Outcome<vm::Value> Machine::run_entry(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                                          std::optional<size_t> test) {
  if (test) entry_ = program->pipelines[*test];
  else if (auto* chosen = entry_pipeline(*program)) entry_ = *chosen;
  vm::Value value = HARN_TRY(load(std::move(program), surroundings));
  if (!entry_ || vm_.scheduler().stands_still()) return value;
  return call_entry(surroundings);
}

vm::Outcome<vm::Value> Machine::run(std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                                    std::optional<size_t> test) {
  auto outcome = run_entry(std::move(program), surroundings, test);
  if (outcome && surroundings.serves_mcp) outcome = builtins::serve_mcp_peer(vm_);
  return finished(std::move(outcome));
}

Result<void> Machine::take_up(std::unique_ptr<bytecode::Program> program, std::string_view state) {
  if (auto* chosen = entry_pipeline(*program)) entry_ = *chosen;
  return park::take_up(vm_, std::move(program), state, builtins::park_kinds());
}

vm::Outcome<vm::Value> Machine::run_rest(const Surroundings& surroundings) {
  bool was_loading = vm_.is_loading();
  vm::Value value = HARN_TRY(vm_.go_on());
  if (!entry_ || vm_.scheduler().stands_still()) return value;
  return was_loading ? call_entry(surroundings) : end_entry(std::move(value));
}

vm::Outcome<vm::Value> Machine::go_on(const Surroundings& surroundings) {
  set_state_home(surroundings, vm_.main_path());
  return finished(run_rest(surroundings));
}

vm::Outcome<vm::Value> Machine::finished(vm::Outcome<vm::Value> outcome) {
  if (vm_.scheduler().stands_still()) return outcome;
  // Tasks clean up: defers run, children are killed. A program that fails at that has failed.
  auto ended = vm_.end_tasks();
  if (getenv("HARN_COUNT_COPIES")) fmt::print(stderr, "copied items: {}\n", vm::copied_items.load());
  return outcome && !ended ? std::move(ended) : std::move(outcome);
}

}  // namespace harn::engine
