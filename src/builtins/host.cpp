// What a host offers to programs by name: `host_call("process.exec", {...})`, and what tests put in its place. What the
// calls do is written in Harn (src/std/prelude/host.harn).
#include <atomic>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/secrets.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "effects/process.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/ops.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// ---- mocks ----

// One answer for calls of `capability.operation` whose arguments have these among them.
struct HostMock {
  std::string name;
  Value params;  // a dict, or nil: any
  Value answer;  // {result} or {error}
};

// Scopes of mocks, and the calls that were asked of them. Shared by all tasks; values are ready to be read by any.
class HostMocks {
 public:
  struct Scope {
    std::vector<HostMock> mocks;
    std::vector<Value> calls;
  };

  Mutex lock;
  std::vector<Scope> scopes = std::vector<Scope>(1);
  std::atomic<uint64_t> commands{0};

  bool is_empty() const { return scopes.size() == 1 && scopes[0].mocks.empty() && scopes[0].calls.empty(); }
};

HostMocks& mocks_of(Call& call) { return call.vm().local<HostMocks>(); }

bool has_all(const Value& params, const Value& wanted) {
  if (wanted.is_nil()) return true;
  if (!params.is_dict() || !wanted.is_dict()) return equal(params, wanted);
  for (auto [key, value] : wanted.as_dict()->entries()) {
    const Value* given = params.as_dict()->find(key->view());
    if (!given || !has_all(*given, *value)) return false;
  }
  return true;
}

Outcome<Value> add_mock(Call& call) {
  HostMock mock{.name = std::string(HARN_TRY(call.text(0))),
                .params = HARN_TRY(transfer(call.take(1))),
                .answer = HARN_TRY(transfer(call.take(2)))};
  HostMocks& mocks = mocks_of(call);
  std::lock_guard guard(mocks.lock);
  mocks.scopes.back().mocks.push_back(std::move(mock));
  return Value();
}

// The last one that fits answers, in this scope or one around it.
Outcome<Value> mocked(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  Value made = HARN_TRY(transfer(call.take(2)));
  HostMocks& mocks = mocks_of(call);
  std::lock_guard guard(mocks.lock);
  for (auto scope = mocks.scopes.rbegin(); scope != mocks.scopes.rend(); ++scope) {
    for (auto mock = scope->mocks.rbegin(); mock != scope->mocks.rend(); ++mock) {
      if (mock->name != name || !has_all(call.arg(1), mock->params)) continue;
      mocks.scopes.back().calls.push_back(std::move(made));
      return read_shared(mock->answer);
    }
  }
  return Value();
}

Outcome<Value> mock_names(Call& call) {
  HostMocks& mocks = mocks_of(call);
  Value names = new_list();
  std::lock_guard guard(mocks.lock);
  for (const HostMocks::Scope& scope : mocks.scopes) {
    for (const HostMock& mock : scope.mocks) writable_list(names)->push(text_value(mock.name));
  }
  return names;
}

Outcome<Value> mock_calls(Call& call) {
  HostMocks& mocks = mocks_of(call);
  Value calls = new_list();
  std::lock_guard guard(mocks.lock);
  for (const Value& made : mocks.scopes.back().calls) writable_list(calls)->push(HARN_TRY(read_shared(made)));
  return calls;
}

// What is dropped dies when the lock is free again: it may hold anything.
Outcome<Value> clear_mocks(Call& call) {
  HostMocks& mocks = mocks_of(call);
  HostMocks::Scope old;
  std::lock_guard guard(mocks.lock);
  std::swap(mocks.scopes.back(), old);
  return Value();
}

Outcome<Value> push_scope(Call& call) {
  HostMocks& mocks = mocks_of(call);
  std::lock_guard guard(mocks.lock);
  mocks.scopes.emplace_back();
  return Value();
}

Outcome<Value> pop_scope(Call& call) {
  HostMocks& mocks = mocks_of(call);
  HostMocks::Scope old;
  std::lock_guard guard(mocks.lock);
  if (mocks.scopes.size() == 1) return runtime_error(ErrorKind::Invalid, "host_mock_pop_scope: no scope was pushed");
  old = std::move(mocks.scopes.back());
  mocks.scopes.pop_back();
  return Value();
}

void mock_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && !vm.local<HostMocks>().is_empty()) archive.refuse("host calls are mocked");
}

// ---- commands ----

Outcome<Value> next_command(Call& call) { return Value::integer(static_cast<int64_t>(++mocks_of(call).commands)); }

std::string text_of(const DictObject* request, std::string_view name) {
  const Value* value = request->find(name);
  return value && !value->is_nil() ? display(*value) : "";
}

Outcome<void> read_environment(Call& call, const DictObject* given, effects::RunProcess& request) {
  const Value* variables = given->find("env");
  if (!variables || !variables->is_dict()) return {};
  auto& secrets = effects::Run::current(call.vm()).world().secrets;
  for (auto [name, value] : variables->as_dict()->entries()) {
    if (name->view().empty() || name->view().find('=') != std::string_view::npos)
      return runtime_error(ErrorKind::Invalid, "process.exec: `{}` is no name of a variable", name->view());
    std::string text = display(*value);
    if (Secrets::is_secret_name(name->view())) secrets.add(name->view(), text);
    request.environment.push_back({std::string(name->view()), std::move(text)});
  }
  return {};
}

// (request: {argv, cwd, env, env_mode, stdin, timeout_ms, program}) as src/std/prelude/host.harn has made it.
Outcome<Value> run_command(Call& call) {
  if (!call.arg(0).is_dict()) return type_error("__run_command: expected a dict");
  const DictObject* given = call.arg(0).as_dict();
  effects::RunProcess request{.what = "exec", .directory = text_of(given, "cwd"), .program = text_of(given, "program")};
  const Value* words = given->find("argv");
  if (!words || !words->is(Kind::List)) return type_error("__run_command: expected a list of words");
  for (const Value& word : words->as_list()->values()) request.words.push_back(display(word));
  HARN_CHECK(read_environment(call, given, request));
  request.is_whole_environment = text_of(given, "env_mode") == "replace";
  if (const Value* input = given->find("stdin"); input && !input->is_nil())
    request.input = input->is(Kind::Bytes) ? std::string(input->as_bytes()->view()) : display(*input);
  if (const Value* time = given->find("timeout_ms"); time && time->is_int()) request.timeout_ms = time->as_int();
  auto result = HARN_TRY(effects::perform(effects::Run::current(call.vm()), request));
  return DictBuilder()
      .add("stdout", text_value(text::to_valid_utf8(result.out)))
      .add("stderr", text_value(text::to_valid_utf8(result.err)))
      .add("exit_code", Value::integer(result.status))
      .add("signal", result.signal ? Value::integer(result.signal) : Value())
      .add("pid", Value::integer(result.pid))
      .add("timed_out", Value::boolean(result.timed_out))
      .done();
}

Outcome<Value> find_programs(Call& call) {
  if (!call.arg(0).is(Kind::List)) return type_error("__find_programs: expected a list");
  effects::FindPrograms request;
  for (const Value& path : call.arg(0).as_list()->values()) request.paths.push_back(display(path));
  Value found = new_list();
  for (const std::string& path : HARN_TRY(effects::perform(effects::Run::current(call.vm()), request)))
    writable_list(found)->push(text_value(path));
  return found;
}

constinit const Builtin kRows[] = {
    {.name = "__command_envelope",
     .signature = "(status: string, started: int, ended: int) -> dict",
     .doc = "The envelope of a command that has not run.",
     .prelude = "host:host_envelope"},
    {.name = "__find_programs",
     .signature = "(paths: list<string>) -> list<string>",
     .doc = "Those that can be run.",
     .example = "__find_programs([\"/bin/sh\"]) == [\"/bin/sh\"]",
     .needs = Capability::Process,
     .call = find_programs},
    {.name = "__host_ask",
     .signature = "(name: string, args: dict) -> any",
     .doc = "What the host says to a question, as a Result: an error when nothing was said in time.",
     .example = R"(is_err(__host_ask("nobody.home", {})))",
     .prelude = "host:host_ask"},
    {.name = "__host_deadline",
     .signature = "(body: closure) -> any",
     .doc = "The Result of asking somebody, who has so much time.",
     .example = "unwrap(__host_deadline({ -> 1 })) == 1",
     .prelude = "host:host_deadline"},
    {.name = "__host_exec",
     .signature = "(request: dict) -> dict",
     .doc = "Runs a command for process.exec.",
     .prelude = "host:host_exec"},
    {.name = "__host_mock_add",
     .signature = "(name: string, params: any, answer: dict) -> nil",
     .doc = "Adds a mock to the innermost scope.",
     .call = add_mock},
    {.name = "__host_mock_names", .signature = "() -> list<string>", .doc = "What is mocked.", .call = mock_names},
    {.name = "__host_mocked",
     .signature = "(name: string, params: any, made: dict) -> dict?",
     .doc = "The answer of a mock, or nil; keeps the call.",
     .call = mocked},
    {.name = "__next_command",
     .signature = "() -> int",
     .doc = "A number of its own for each command.",
     .call = next_command},
    {.name = "__run_command",
     .signature = "(request: dict) -> dict",
     .doc = "Runs a program.",
     .example = "__run_command({argv: [\"true\"]}).exit_code == 0",
     .needs = Capability::Process,
     .wait = on_fiber<run_command>},
    {.name = "host_call",
     .signature = "(name: string, args?: dict) -> any",
     .doc = "Asks the host for `capability.operation`: a mock first, then what is built in, as `process.exec`.",
     .example = R"(is_err(try { host_call("magic.trick") }))",
     .prelude = "host:host_call"},
    {.name = "host_capabilities",
     .signature = "() -> dict",
     .doc = "Returns what can be asked of the host: {capability: {description, ops, operations}}.",
     .example = R"(host_capabilities().process.ops.contains("exec"))",
     .prelude = "host:host_capabilities"},
    {.name = "host_tool_call",
     .signature = "(name: string, args?: dict?) -> any",
     .doc = "Has the host run one of its tools.",
     .example = R"(is_err(try { host_tool_call("nothing", {}) }))",
     .prelude = "host:host_tool_call"},
    {.name = "host_tool_list",
     .signature = "() -> list<dict>",
     .doc =
         "Returns the tools of the host: {name, description, schema, deprecated} each; without a host there are none.",
     .example = "host_tool_list() == []",
     .prelude = "host:host_tool_list"},
    {.name = "host_has",
     .signature = "(capability: string, operation?: string) -> bool",
     .doc = "Tells whether the host has a capability, or an operation of it.",
     .example = R"(host_has("process", "exec") && !host_has("magic"))",
     .prelude = "host:host_has"},
    {.name = "host_mock",
     .signature = "(capability: string, operation: string, response?: any, params?: dict) -> nil",
     .doc = "Answers host calls, for those whose arguments have `params` among them; {result} or {error} says which it "
            "is.",
     .example = R"(host_mock("crm", "find", {id: 7}) == nil && host_call("crm.find").id == 7)",
     .prelude = "host:host_mock"},
    {.name = "host_mock_calls",
     .signature = "() -> list<{capability: string, operation: string, params: any}>",
     .doc = "Returns the calls that mocks of this scope have answered.",
     .example = "host_mock_calls() == []",
     .call = mock_calls},
    {.name = "host_mock_clear",
     .signature = "() -> nil",
     .doc = "Forgets the mocks of this scope and the calls they have answered.",
     .example = "host_mock_clear() == nil",
     .call = clear_mocks},
    {.name = "host_mock_pop_scope",
     .signature = "() -> nil",
     .doc = "Ends the innermost scope of mocks.",
     .example = "is_err(try { host_mock_pop_scope() })",
     .call = pop_scope},
    {.name = "host_mock_push_scope",
     .signature = "() -> nil",
     .doc = "Begins a scope of mocks: what is mocked from here on is forgotten when it ends.",
     .example = "host_mock_push_scope() == nil && host_mock_pop_scope() == nil",
     .call = push_scope},
    // ---- command policies ----
    {.name = "__guard_command",
     .signature = "(request: dict, run: fn(dict) -> dict) -> dict",
     .doc = "Runs a command under the policies in force.",
     .prelude = "command_policy:guard_command"},
    {.name = "command_llm_risk_scan",
     .signature = "(context: dict, options?: dict) -> dict",
     .doc = "The scan of `command_risk_scan`, in the shape that a model's judgement has; asks nobody.",
     .example = R"(command_llm_risk_scan({command: "ls"}).scan_kind == "deterministic_fallback")",
     .prelude = "command_policy:command_llm_risk_scan"},
    {.name = "command_policy",
     .signature = "(config?: dict) -> dict",
     .doc = "Returns a policy for commands: deny_patterns, require_approval, pre and post hooks, workspace_roots.",
     .example = R"(command_policy({deny_patterns: ["rm *"]}).deny_patterns == ["rm *"])",
     .prelude = "command_policy:command_policy"},
    {.name = "command_policy_pop",
     .signature = "() -> nil",
     .doc = "Takes away the policy that was installed last.",
     .example = "command_policy_push(command_policy()) == nil && command_policy_pop() == nil",
     .prelude = "command_policy:command_policy_pop"},
    {.name = "command_policy_push",
     .signature = "(policy: dict) -> nil",
     .doc = "Installs a policy for the commands of this task and those it starts; those that are there stay in force.",
     .example = "command_policy_push(command_policy()) == nil",
     .prelude = "command_policy:command_policy_push"},
    {.name = "command_result_scan",
     .signature = "(context: dict) -> dict",
     .doc = "Looks at the output of a command: {action, recommended_action, risk_labels, confidence, rationale}.",
     .example = R"(command_result_scan({stdout: "fine"}).action == "allow")",
     .prelude = "command_policy:command_result_scan"},
    {.name = "command_risk_scan",
     .signature = "(context: dict) -> dict",
     .doc = "Tells what a command may do, from its text: {action, recommended_action, risk_labels, confidence, "
            "rationale}.",
     .example = R"(command_risk_scan({command: "sudo ls"}).risk_labels == ["sudo"])",
     .prelude = "command_policy:command_risk_scan"},
    {.name = "with_command_policy",
     .signature = "<T>(policy: dict, body: fn() -> T) -> T",
     .doc = "Calls `body` with a policy for commands installed.",
     .example = "with_command_policy(command_policy(), { -> 1 }) == 1",
     .prelude = "command_policy:with_command_policy"},
};

}  // namespace

const park::PartRow kHostMocksPart = {"host mocks", mock_fields};

std::span<const Builtin> host_rows() { return kRows; }

}  // namespace harn::builtins
