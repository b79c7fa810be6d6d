// Where a program runs: variables of the environment, the machine, and the program's own directories.
#include "effects/environment.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "effects/files.h"
#include "vm/scheduler.h"
#include "vm/trace.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::perform;

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }
Value known_text(std::string_view bytes) { return text_value(text::to_valid_utf8(bytes)); }

// ---- variables ----

Outcome<Value> env_or(Call& call) {
  auto variable = HARN_TRY(perform(run_of(call), effects::ReadVariable{std::string(HARN_TRY(call.text(0)))}));
  return variable.is_set ? known_text(variable.value) : call.take(1);
}

// Without a value it is taken away.
Outcome<Value> set_variable(Call& call) {
  effects::SetVariable request{.name = std::string(HARN_TRY(call.text(0)))};
  request.is_set = call.count() > 1 && !call.arg(1).is_nil();
  if (request.is_set) request.value = display(call.arg(1));
  HARN_CHECK(perform(run_of(call), request));
  return Value();
}

Outcome<Value> list_variables(Call& call) {
  auto names = new_list();
  for (const std::string& name : HARN_TRY(perform(run_of(call), effects::ListVariables{})))
    names->push(known_text(name));
  return names;
}

// ---- the machine ----

template <effects::SystemFact kFact>
Outcome<Value> fact(Call& call) {
  return known_text(HARN_TRY(perform(run_of(call), effects::AskSystem{kFact})));
}

Outcome<Value> number_fact(Call& call, effects::SystemFact fact) {
  return Value::integer(std::stoll(HARN_TRY(perform(run_of(call), effects::AskSystem{fact}))));
}

Outcome<Value> pid(Call& call) { return number_fact(call, effects::SystemFact::ProcessId); }

Outcome<Value> system_size(Call& call) {
  using enum effects::SystemFact;
  Value cpu = DictBuilder().add("count", HARN_TRY(number_fact(call, Processors))).done();
  Value memory = DictBuilder()
                     .add("total_bytes", HARN_TRY(number_fact(call, TotalMemory)))
                     .add("free_bytes", HARN_TRY(number_fact(call, FreeMemory)))
                     .done();
  return DictBuilder().add("cpu", std::move(cpu)).add("memory", std::move(memory)).done();
}

// ---- directories ----

Outcome<Value> cwd(Call& call) { return known_text(HARN_TRY(perform(run_of(call), effects::CurrentDirectory{}))); }

// Of the file whose code has called; empty where that came from no file.
std::string source_directory() {
  std::string_view path = calling_source(Scheduler::current());
  size_t slash = path.rfind('/');
  if (path.empty() || slash == path.npos) return "";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

Outcome<effects::FindPaths::Answer> paths_of(Call& call) {
  return perform(run_of(call), effects::FindPaths{source_directory()});
}

Outcome<Value> source_dir(Call& call) { return known_text(HARN_TRY(paths_of(call)).asset_root); }

Outcome<Value> project_root(Call& call) {
  std::string root = HARN_TRY(paths_of(call)).project_root;
  return root.empty() ? Value() : known_text(root);
}

Outcome<Value> runtime_paths(Call& call) {
  auto paths = HARN_TRY(paths_of(call));
  return DictBuilder()
      .add("execution_root", known_text(paths.execution_root))
      .add("asset_root", known_text(paths.asset_root))
      .add("state_root", known_text(paths.state_root))
      .add("run_root", known_text(paths.run_root))
      .add("worktree_root", known_text(paths.worktree_root))
      .done();
}

using enum effects::SystemFact;

constinit const Builtin kRows[] = {
    {.name = "__env_list",
     .signature = "() -> list<string>",
     .doc = "The names of all variables of the environment.",
     .example = "len(__env_list()) > 0",
     .needs = Capability::EnvRead,
     .call = list_variables},
    {.name = "__env_set",
     .signature = "(name: string, value?: any) -> nil",
     .doc = "Sets a variable for the program and what it starts from now on; without a value it takes it away.",
     .example = "__env_set(\"A\", \"1\") == nil",
     .needs = Capability::EnvWrite,
     .call = set_variable},
    {.name = "__system_size",
     .signature = "() -> {cpu: dict, memory: dict}",
     .doc = "How many processors and how much memory there is.",
     .example = "__system_size().cpu.count > 0",
     .needs = Capability::SystemInfo,
     .call = system_size},
    {.name = "arch",
     .signature = "() -> string",
     .doc = "The processor's architecture, such as \"x86_64\" or \"aarch64\".",
     .example = "len(arch()) > 0",
     .needs = Capability::SystemInfo,
     .call = fact<Architecture>},
    {.name = "asset_root",
     .signature = "() -> string",
     .doc = "The directory that paths of assets begin at: that of the source file.",
     .example = "asset_root() == source_dir()",
     .needs = Capability::FileInfo,
     .call = source_dir},
    {.name = "cwd",
     .signature = "() -> string",
     .doc = "The working directory, which relative paths begin at.",
     .example = "cwd().starts_with(\"/\")",
     .needs = Capability::FileInfo,
     .call = cwd},
    {.name = "env",
     .signature = "(name: string) -> string?",
     .doc = "The value of a variable of the environment; nil when it is not set.",
     .example = "env(\"NO_SUCH_VARIABLE\") == nil",
     .needs = Capability::EnvRead,
     .call = env_or},
    {.name = "env_or",
     .signature = "<T>(name: string, otherwise: T) -> string | T",
     .doc = "The value of a variable of the environment, or the other one when it is not set.",
     .example = "env_or(\"NO_SUCH_VARIABLE\", \"none\") == \"none\"",
     .needs = Capability::EnvRead,
     .call = env_or},
    {.name = "execution_root",
     .signature = "() -> string",
     .doc = "The directory the program runs in, which relative paths begin at.",
     .example = "execution_root() == cwd()",
     .needs = Capability::FileInfo,
     .call = cwd},
    {.name = "home_dir",
     .signature = "() -> string",
     .doc = "The user's own directory.",
     .example = "len(home_dir()) > 0",
     .needs = Capability::SystemInfo,
     .call = fact<HomeDirectory>},
    {.name = "hostname",
     .signature = "() -> string",
     .doc = "The name of the machine.",
     .example = "len(hostname()) > 0",
     .needs = Capability::SystemInfo,
     .call = fact<HostName>},
    {.name = "pid",
     .signature = "() -> int",
     .doc = "The number of the process.",
     .example = "pid() > 0",
     .needs = Capability::SystemInfo,
     .call = pid},
    {.name = "platform",
     .signature = "() -> string",
     .doc = "The system: \"linux\", \"darwin\" or \"windows\".",
     .example = "platform() == \"linux\"",
     .needs = Capability::SystemInfo,
     .call = fact<Platform>},
    {.name = "project_root",
     .signature = "() -> string?",
     .doc = "The nearest directory with a harn.toml, upwards from the source file; nil when there is none.",
     .example = "type_of(project_root() ?? \"\") == \"string\"",
     .needs = Capability::FileInfo,
     .call = project_root},
    {.name = "runtime_paths",
     .signature = "() -> dict",
     .doc = "Returns {execution_root, asset_root, state_root, run_root, worktree_root}.",
     .example = "runtime_paths().execution_root == cwd()",
     .needs = Capability::FileInfo,
     .call = runtime_paths},
    {.name = "source_dir",
     .signature = "() -> string",
     .doc = "The directory of the source file that calls it.",
     .example = "source_dir().starts_with(\"/\")",
     .needs = Capability::FileInfo,
     .call = source_dir},
    {.name = "temp_dir",
     .signature = "() -> string",
     .doc = "The directory for temporary files.",
     .example = "temp_dir().starts_with(\"/\")",
     .needs = Capability::SystemInfo,
     .call = fact<TempDirectory>},
    {.name = "username",
     .signature = "() -> string",
     .doc = "The name of the user whose process it is.",
     .example = "len(username()) > 0",
     .needs = Capability::SystemInfo,
     .call = fact<UserName>},
};

}  // namespace

std::span<const Builtin> environment_rows() { return kRows; }

}  // namespace harn::builtins
