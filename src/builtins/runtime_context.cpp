// What a task knows about itself: who it is, and the values it hands down to the tasks it starts.
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/sessions.h"
#include "builtins/supervisor.h"
#include "builtins/task_scope.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// Set by what does not exist here yet: triggers. Always there, always nil.
constexpr std::string_view kUnavailable[] = {
    "task_name",   "agent_name", "trigger_id", "trigger_event_id",
    "binding_key", "tenant_id",  "provider",   "capacity_class",
};

// What a workflow has put into the scope for its stages (prelude/workflow_execute.harn).
constexpr std::string_view kOfWorkflow[] = {"workflow_id", "run_id", "stage_id"};

// What the runtime itself hands down to tasks is kept with the program's values, under names that no program has.
constexpr std::string_view kOurs = "\x01";

Value all_values(const Task& task) { return task.context.is_nil() ? Value(new_dict()) : task.context; }

Value context_values(const Task& task) {
  Value all = all_values(task);
  std::vector<std::string> ours;
  for (auto [key, value] : all.as_dict()->entries()) {
    if (key->view().starts_with(kOurs)) ours.emplace_back(key->view());
  }
  for (const std::string& key : ours) dict_erase(all, key);
  return all;
}

Value text_or_nil(const std::string& text) { return text.empty() ? Value() : text_value(text); }

void add_session(DictBuilder& out, Vm& vm) {
  SessionLineage session = current_session(vm).value_or(SessionLineage());
  out.add("agent_session_id", text_or_nil(session.id))
      .add("parent_agent_session_id", text_or_nil(session.parent))
      .add("root_agent_session_id", text_or_nil(session.root));
}

Value field_of(const Value& dict, std::string_view name) {
  const Value* found = dict.is_dict() ? dict.as_dict()->find(name) : nullptr;
  return found ? *found : Value();
}

void add_workflow(DictBuilder& out, const Task& task) {
  Value workflow = scope_value(task, "workflow");
  for (std::string_view field : kOfWorkflow) out.add(field, field_of(workflow, field));
  out.add("worker_id", field_of(scope_value(task, "worker"), "id"));
}

// Which span of the program goes on (prelude/traces.harn).
void add_trace(DictBuilder& out, const Task& task) {
  Value trace = scope_value(task, "trace");
  out.add("trace_id", field_of(trace, "trace_id")).add("span_id", field_of(trace, "span_id"));
}

Outcome<Value> debug_info(Call& call) {
  Value supervisors = HARN_TRY(supervisor_states(call.vm()));
  return DictBuilder()
      .add("supervisors", std::move(supervisors))
      .add("live_tasks", Value::integer(static_cast<int64_t>(call.vm().scheduler().live_tasks())))
      .add("workers", Value::integer(call.vm().scheduler().worker_limit()))
      .done();
}

Outcome<Value> runtime_context(Call& call) {
  const Task& task = Scheduler::current();
  Value debug = HARN_TRY(debug_info(call));
  DictBuilder out;
  for (std::string_view field : kUnavailable) out.add(field, Value());
  add_session(out, call.vm());
  add_workflow(out, task);
  add_trace(out, task);
  std::string group = task_group_text(task);
  return out.add("task_id", text_value(task_id_text(task.id)))
      .add("parent_task_id", task.is_root() ? Value() : text_value(task_id_text(task.parent_id)))
      .add("root_task_id", text_value(task_id_text(0)))
      .add("task_group_id", group.empty() ? Value() : text_value(group))
      .add("scope_id", text_value(task_group_scope_id(task)))
      .add("scheduler_key", text_value("worker"))
      .add("runner", text_value("harn"))
      .add("context_values", context_values(task))
      .add("cancelled", Value::boolean(task.cancel_requested.load(std::memory_order_relaxed)))
      .add("debug", std::move(debug))
      .done();
}

Outcome<Value> task_id(Call&) { return text_value(task_id_text(Scheduler::current().id)); }

// ---- task-local values ----

Outcome<std::string_view> key_of(Call& call) {
  bool is_key = call.arg(0).is_string() && !call.arg(0).as_string()->view().starts_with(kOurs);
  if (is_key) return call.arg(0).as_string()->view();
  return runtime_error(ErrorKind::Type, "{}: first argument must be a string key", call.row().name);
}

Value value_of(const Task& task, std::string_view key) {
  const Value* found = task.context.is_nil() ? nullptr : task.context.as_dict()->find(key);
  return found ? *found : Value();
}

Outcome<Value> values(Call&) { return context_values(Scheduler::current()); }

Outcome<Value> get(Call& call) {
  auto key = HARN_TRY(key_of(call));
  const Task& task = Scheduler::current();
  bool is_set = !task.context.is_nil() && task.context.as_dict()->find(key);
  return is_set ? value_of(task, key) : call.take(1);
}

Outcome<Value> set(Call& call) {
  auto key = HARN_TRY(key_of(call));
  Value value = call.take(1);
  Task& task = Scheduler::current();
  Value previous = value_of(task, key);
  Value changed = all_values(task);
  dict_set(changed, key, std::move(value));
  task.context = std::move(changed);
  return previous;
}

Outcome<Value> clear(Call& call) {
  auto key = HARN_TRY(key_of(call));
  Task& task = Scheduler::current();
  Value previous = value_of(task, key);
  Value changed = all_values(task);
  dict_erase(changed, key);
  task.context = std::move(changed);
  return previous;
}

// ---- values of the prelude ----

Outcome<std::string> own_key(Call& call) { return std::string(kOurs) + std::string(HARN_TRY(call.text(0))); }

Outcome<Value> get_own(Call& call) { return scope_value(Scheduler::current(), HARN_TRY(call.text(0))); }

Outcome<Value> set_own(Call& call) {
  std::string key = HARN_TRY(own_key(call));
  Task& task = Scheduler::current();
  Value changed = all_values(task);
  if (call.arg(1).is_nil()) dict_erase(changed, key);
  else dict_set(changed, key, call.take(1));
  task.context = std::move(changed);
  return Value();
}

// The fields that are given stand in front of those that are there.
Outcome<Value> merge_own(Call& call) {
  std::string key = HARN_TRY(own_key(call));
  Task& task = Scheduler::current();
  Value before = value_of(task, key), merged = before.is_dict() ? before : Value(new_dict());
  if (!call.arg(1).is_dict()) return type_error("__scope_merge: expected a dict");
  for (auto [name, value] : call.arg(1).as_dict()->entries()) dict_set(merged, name->view(), *value);
  Value changed = all_values(task);
  dict_set(changed, key, std::move(merged));
  task.context = std::move(changed);
  return before;
}

constinit const Builtin kRows[] = {
    {.name = "__trace_note",
     .signature =
         "(kind: string, name: string, began: int, duration: int, status: string, metadata: dict, links?: list) -> nil",
     .doc = "Keeps a span of the runtime's own.",
     .prelude = "traces:note"},
    {.name = "enable_tracing",
     .signature = "(on?: bool) -> nil",
     .doc = "Whether calls of models and tools of this task, and of those it starts, are kept as spans.",
     .example = "enable_tracing(false) == nil",
     .prelude = "traces:enable_tracing"},
    {.name = "trace_end",
     .signature = "(span: dict) -> dict",
     .doc = "Ends a span and returns it with its duration_ms.",
     .example = R"(trace_end(trace_start("work")).duration_ms >= 0)",
     .prelude = "traces:trace_end"},
    {.name = "trace_id",
     .signature = "() -> string?",
     .doc = "Returns the id of the trace whose span goes on, or nil.",
     .example = "trace_id() == nil",
     .prelude = "traces:trace_id"},
    {.name = "trace_spans",
     .signature = "() -> list<dict>",
     .doc = "Returns the spans that have ended: {trace_id, span_id, parent_id, name, kind, start_ms, duration_ms, "
            "status, metadata} each.",
     .example = "trace_spans() == []",
     .prelude = "traces:trace_spans"},
    {.name = "trace_start",
     .signature = "(name: string) -> dict",
     .doc = "Begins a span, inside of the one that goes on: {trace_id, span_id, parent_id, name, start_ms}.",
     .example = R"(trace_start("work").name == "work")",
     .prelude = "traces:trace_start"},
    {.name = "trace_summary",
     .signature = "() -> string",
     .doc = "Returns how many spans of each name there were, and how long they took.",
     .example = R"(trace_summary() == "no spans")",
     .prelude = "traces:trace_summary"},
    {.name = "__scope_get",
     .signature = "(name: string) -> any",
     .doc = "A value of the runtime that tasks hand down; nil: none.",
     .call = get_own},
    {.name = "__scope_merge",
     .signature = "(name: string, fields: dict) -> any",
     .doc = "Adds fields to a value that tasks hand down; gives what it was before.",
     .call = merge_own},
    {.name = "__scope_set",
     .signature = "(name: string, value: any) -> nil",
     .doc = "Sets it for this task and those it starts from now on.",
     .call = set_own},
    {.name = "__task_id",
     .signature = "() -> string",
     .doc = "The id of the running task.",
     .example = "__task_id() == runtime_context().task_id",
     .call = task_id},
    {.name = "runtime_context",
     .signature = "() -> dict",
     .doc = "Who the running task is: its id, parent, root, group and more; what is not available is nil.",
     .example = "runtime_context().task_id == \"task_root\"",
     .call = runtime_context},
    {.name = "runtime_context_clear",
     .signature = "(key: string) -> any",
     .doc = "Removes a task-local value and gives it.",
     .example = "runtime_context_clear(\"user\") == nil",
     .call = clear},
    {.name = "runtime_context_get",
     .signature = "(key: string, default?: any) -> any",
     .doc = "A task-local value, or `default`.",
     .example = "runtime_context_get(\"user\", \"nobody\") == \"nobody\"",
     .call = get},
    {.name = "runtime_context_set",
     .signature = "(key: string, value: any) -> any",
     .doc = "Sets a value for this task and those it starts from now on; gives the previous one.",
     .example = "runtime_context_set(\"user\", \"ada\") == nil",
     .call = set},
    {.name = "runtime_context_values",
     .signature = "() -> dict",
     .doc = "All task-local values.",
     .example = "runtime_context_values() == {}",
     .call = values},
    {.name = "task_current",
     .signature = "() -> dict",
     .doc = "The same as runtime_context.",
     .example = "task_current().parent_task_id == nil",
     .call = runtime_context},
};

}  // namespace

std::span<const Builtin> runtime_context_rows() { return kRows; }

Value scope_value(const Task& task, std::string_view name) {
  return value_of(task, std::string(kOurs) + std::string(name));
}

}  // namespace harn::builtins
