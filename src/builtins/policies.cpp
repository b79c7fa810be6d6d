// Policies as values: what a part of a program may do (src/std/prelude/execution_policy.harn), and asking a person.
#include "builtins/policies.h"

#include <memory>
#include <mutex>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "effects/approval.h"
#include "effects/run.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/ops.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using effects::Run;

namespace {

// ---- narrowing what a task may do ----

std::vector<std::string> texts(const Value& list) {
  std::vector<std::string> out;
  if (!list.is_list()) return out;
  for (const Value& item : list.as_list()->values()) out.push_back(display(item));
  return out;
}

std::vector<std::string> texts(const Value& dict, std::string_view key) {
  const Value* list = dict.as_dict()->find(key);
  return list ? texts(*list) : std::vector<std::string>();
}

effects::Policy policy_of(const Value& part) {
  effects::Policy policy{.allow = {}, .deny = texts(part, "deny"), .ask = texts(part, "ask")};
  if (const Value* roots = part.as_dict()->find("roots"); roots && roots->is_list())
    policy.workspace = effects::WorkspaceRoots{texts(*roots), {}};
  if (auto hidden = texts(part, "hidden"); !hidden.empty()) {
    if (!policy.workspace) policy.workspace = effects::WorkspaceRoots{{"/"}, {}};
    policy.workspace->hidden = std::move(hidden);
  }
  policy.children.hidden = texts(part, "hidden_variables");
  if (const Value* values = part.as_dict()->find("child_variables"); values && values->is_dict()) {
    for (auto [name, value] : values->as_dict()->entries())
      policy.children.values.emplace_back(name->view(), display(*value));
  }
  if (const Value* confined = part.as_dict()->find("must_confine")) policy.must_confine = truthy(*confined);
  return policy;
}

Value current_run(const Task& task) { return task.run ? Value(task.run) : Value(); }

// Gives the run that the task had, for `leave`; nil: the program's own.
Outcome<Value> enter(Call& call) {
  (void)HARN_TRY(call.dict(0));
  Task& task = Scheduler::current();
  Run& outer = Run::current(call.vm());
  Value before = current_run(task);
  auto inner = Run::within(outer, {.policy = policy_of(call.arg(0))});
  task.run = Ref<HandleObject>::share(inner.get());
  return before;
}

Outcome<Value> leave(Call& call) {
  Task& task = Scheduler::current();
  Value now = current_run(task);
  const Value& before = call.arg(0);
  task.run = before.is(Kind::Handle) ? Ref<HandleObject>::share(before.as<HandleObject>()) : Ref<HandleObject>();
  return now;
}

Outcome<Value> current(Call&) { return current_run(Scheduler::current()); }

// What the running task may do now.
Outcome<Value> ceiling(Call& call) {
  Run& run = Run::current(call.vm());
  auto allowed = new_list();
  for (size_t i = 1; i < kCapabilityCount; ++i) {
    auto capability = static_cast<Capability>(i);
    if (run.allows(capability)) allowed->push(text_value(capability_name(capability)));
  }
  return DictBuilder()
      .add("allowed", std::move(allowed))
      .add("is_rooted", Value::boolean(run.workspace() != nullptr))
      .done();
}

// The capabilities that names mean, as the gate has them.
Outcome<Value> capability_names(Call& call) {
  uint32_t meant = 0;
  for (const std::string& name : texts(call.arg(0))) meant |= effects::capabilities_named(name);
  auto out = new_list();
  for (size_t i = 1; i < kCapabilityCount; ++i) {
    auto capability = static_cast<Capability>(i);
    if (meant & effects::bit_of(capability)) out->push(text_value(capability_name(capability)));
  }
  return out;
}

// Which of these folders the running task may not use.
Outcome<Value> outside(Call& call) {
  Run& run = Run::current(call.vm());
  auto out = new_list();
  for (const std::string& path : texts(call.arg(0))) {
    if (!run.workspace()) break;
    if (!run.workspace()->holds(path)) out->push(text_value(path));
  }
  return out;
}

// ---- asking ----

std::string text_of(const Value& dict, std::string_view key) {
  const Value* found = dict.as_dict()->find(key);
  return found && !found->is_nil() ? display(*found) : "";
}

effects::ApprovalQuestion question_of(const Value& about) {
  effects::ApprovalQuestion question{.action = text_of(about, "action"),
                                     .what = text_of(about, "what"),
                                     .why = text_of(about, "why"),
                                     .who = text_of(about, "who")};
  question.exact = text_of(about, "exact");
  return question;
}

// nil: it is approved; else why not.
Outcome<Value> ask_approval(Call& call) {
  (void)HARN_TRY(call.dict(0));
  auto question = question_of(call.arg(0));
  auto approval = HARN_TRY(effects::ask_approval(Run::current(call.vm()), question));
  std::string why_not = effects::refusal(approval, question);
  return why_not.empty() ? Value() : text_value(why_not);
}

// The same of what the gate asks about; the gate knows what may be shown of it.
Outcome<Value> ask_for_gate(Call& call) {
  (void)HARN_TRY(call.dict(0));
  auto question = question_of(call.arg(0));
  question.is_from_outside = truthy(*call.arg(0).as_dict()->find("is_from_outside"));
  switch (HARN_TRY(effects::ask_approval(Run::current(call.vm()), question))) {
    case effects::Approval::Once:
    case effects::Approval::Always: return Value();
    case effects::Approval::Refused: return text_value("the person said no");
    case effects::Approval::Nobody: break;
  }
  return text_value("it needs approval, and there is nobody to ask");
}

// ---- hooks of what the gate asks about ----

// Told when the task that asks them has ended. It belongs to that task.
struct HooksAsked final : FinishHook {
  std::shared_ptr<Completion> completion = std::make_shared<Completion>(Completion::By::Tasks);
  void finished(Task&) override {
    completion->finish();
    delete this;
  }
};

bool has_listeners(const Task& task) {
  return !scope_value(task, "session_hooks").is_nil() || !scope_value(task, "persona").is_nil();
}

Outcome<effects::ApprovalHooks::Verdict> verdict_of(Task& asked) {
  std::lock_guard lock(asked.lock);
  asked.result_taken = true;
  if (asked.error) return std::unexpected(std::move(asked.error));
  if (asked.stopping) return stopped_error();
  return effects::ApprovalHooks::Verdict(asked.result.is_nil() ? "" : display(asked.result));
}

// A task of the one that waits asks them: so they are functions of the program, in the middle of a builtin. What does not run on a
// fiber (clocks, chance, the environment, output) cannot wait, and is asked about without them.
Outcome<effects::ApprovalHooks::Verdict> ask_hooks(Vm& vm, const effects::ApprovalQuestion& question) {
  Task& task = Scheduler::current();
  if (!task.fiber || !has_listeners(task)) return std::nullopt;
  Value about = DictBuilder()
                    .add("action", text_value(question.action))
                    .add("what", text_value(question.what))
                    .add("exact", text_value(question.exact))
                    .add("is_from_outside", Value::boolean(question.is_from_outside))
                    .done();
  Luggage luggage = HARN_TRY(pack(task, Value::builtin(vm.builtins().find("__gate_permission")), {&about, 1}));
  auto* hook = new HooksAsked;
  auto completion = hook->completion;
  Ref<Task> asked = task.scheduler->spawn(task, std::move(luggage), {.hook = hook});
  if (completion->wait("approval", text_value(question.action)) == Wake::Cancelled) {
    task.scheduler->cancel(*asked, true);
    return stopped_error();
  }
  return verdict_of(*asked);
}

// ---- parking ----

Value make_run(Vm& vm) { return Value(Run::within(Run::of(vm), {})); }

std::vector<std::string> names_of(const Run& run, bool (Run::*is_meant)(Capability) const, bool wanted) {
  std::vector<std::string> names;
  for (size_t i = 1; i < kCapabilityCount; ++i) {
    auto capability = static_cast<Capability>(i);
    if ((run.*is_meant)(capability) == wanted) names.emplace_back(capability_name(capability));
  }
  return names;
}

// What it is held to goes with the task. It may do even less afterwards: what the process that goes on with it may not.
void run_fields(park::Archive& archive, HandleObject& handle) {
  auto& run = static_cast<Run&>(handle);
  if (archive.is_looking() && run.budget()) archive.refuse("what it does is counted, up to a limit");
  effects::Policy policy;
  std::vector<effects::WorkspaceRoots> workspaces;
  if (!archive.is_reading()) {
    policy = {.allow = {}, .deny = names_of(run, &Run::allows, false), .ask = names_of(run, &Run::asks, true)};
    policy.must_confine = run.must_confine();
    policy.children = run.child_variables();
    if (run.workspace()) workspaces = run.workspace()->all_roots();
  }
  auto each_text = [&](std::string& text) { archive.text(text); };
  archive.items(policy.deny, each_text);
  archive.items(policy.ask, each_text);
  archive.number(policy.must_confine);
  archive.items(policy.children.hidden, each_text);
  archive.items(policy.children.values, [&](std::pair<std::string, std::string>& one) {
    archive.text(one.first);
    archive.text(one.second);
  });
  archive.items(workspaces, [&](effects::WorkspaceRoots& one) {
    archive.items(one.roots, each_text);
    archive.items(one.read_only, each_text);
    archive.items(one.hidden, each_text);
  });
  if (!archive.is_reading()) return;
  run.narrow(policy);
  for (effects::WorkspaceRoots& one : workspaces) run.narrow({.allow = {}, .deny = {}, .workspace = std::move(one)});
}

constinit const Builtin kRows[] = {
    {.name = "__approval_policy",
     .signature = "(policy: any) -> dict",
     .doc = "Refuses what is no approval policy; gives it with its rules read.",
     .example = "__approval_policy({}).rules == []",
     .prelude = "approval_policy:approval_policy"},
    {.name = "__execution_policy",
     .signature = "(policy: any) -> dict",
     .doc = "Refuses what is no capability policy.",
     .example = "__execution_policy({}) == {}",
     .prelude = "execution_policy:execution_policy"},
    {.name = "__ask_approval",
     .signature = "(about: dict) -> string?",
     .doc = "Asks a person about {action, what, why}; nil: it is approved, else why not.",
     .example = R"(len(__ask_approval({action: "deploy"})) > 0)",
     .needs = Capability::Approval,
     .wait = on_fiber<ask_approval>},
    {.name = "__ask_for_gate",
     .signature = "(about: dict) -> string?",
     .doc = "Asks a person about what the gate asks about; nil: it is approved, else why not.",
     .example = R"(len(__ask_for_gate({action: "fs.read", what: "", exact: "", is_from_outside: false})) > 0)",
     .needs = Capability::Approval,
     .wait = on_fiber<ask_for_gate>},
    {.name = "__capability_names",
     .signature = "(names: list<string>) -> list<string>",
     .doc = "The capabilities that names of policies mean.",
     .call = capability_names},
    {.name = "__check_host_operation",
     .signature = "(capability: string, operation: string) -> nil",
     .doc = "Fails where an execution policy does not let host_call do it.",
     .prelude = "execution_policy:check_host_operation"},
    {.name = "__gate_permission",
     .signature = "(about: dict) -> string?",
     .doc = "Asks hooks and then a person about what the gate asks about; nil: it is approved, else why not.",
     .prelude = "lifecycle_hooks:gate_permission"},
    {.name = "__policy_ceiling",
     .signature = "() -> dict",
     .doc = "What the running task may do: {allowed, is_rooted}.",
     .call = ceiling},
    {.name = "__policy_current",
     .signature = "() -> any",
     .doc = "What the task may do, for __policy_leave.",
     .call = current},
    {.name = "__policy_enter",
     .signature = "(part: dict) -> any",
     .doc = "Lets the task do less: {deny, ask, roots, hidden, hidden_variables, child_variables, must_confine}. Gives "
            "what __policy_leave takes.",
     .call = enter},
    {.name = "__policy_leave",
     .signature = "(before: any) -> any",
     .doc = "Lets the task do what it could before __policy_enter, or at __policy_current. Gives what it could do "
            "until now.",
     .call = leave},
    {.name = "__policy_held",
     .signature = "(callback: any) -> any",
     .doc = "A callback that is called later, under the policies that are in force now.",
     .prelude = "execution_policy:held"},
    {.name = "__policy_outside",
     .signature = "(paths: list<string>) -> list<string>",
     .doc = "Those folders that are outside of what the running task may use.",
     .call = outside},
    {.name = "with_execution_policy",
     .signature = "<T>(policy: dict, body: fn() -> T) -> T",
     .doc = "Calls `body`, which may do no more than a capability policy says, with all tasks it starts: "
            "{side_effect_level, "
            "capabilities, workspace_roots, sandbox_profile, ask, ...}.",
     .example = R"(with_execution_policy({side_effect_level: "none"}, { -> 1 }) == 1)",
     .prelude = "execution_policy:with_execution_policy"},
};

}  // namespace

void hear_of_approvals(Vm& vm) { vm.local<effects::ApprovalHooks>().ask = ask_hooks; }

const park::HandleRow kRunHandle = {&effects::kRunType, "run", make_run, run_fields};

std::span<const Builtin> policy_rows() { return kRows; }

}  // namespace harn::builtins
