#include "builtins/task_scope.h"

#include "base/result.h"
#include "builtins/sessions.h"
#include "vm/scheduler.h"
#include "vm/cycles.h"
#include "vm/transfer.h"

namespace harn::builtins {

using namespace vm;

std::string task_group_text(const Task& task) {
  return task.group == 0 ? std::string() : fmt::format("group_{:x}", task.group);
}

std::string task_group_scope_id(const Task& task) {
  return "task_group:" + (task.group == 0 ? task_id_text(0) : task_group_text(task));
}

const StringObject* text_field(const DictObject* dict, std::string_view key) {
  const Value* value = dict ? dict->find(key) : nullptr;
  return value && value->is_string() ? value->as_string() : nullptr;
}

namespace {

Outcome<std::string> tenant_scope_id(Call& call, const DictObject* options) {
  const StringObject* id = text_field(options, "tenant_id");
  if (id && id->size != 0) return "tenant:" + std::string(id->view());
  return runtime_error(ErrorKind::Invalid, "{}: tenant scope requires tenant_id in options or runtime context",
                       call.row().name);
}

}  // namespace

Outcome<std::string> scope_id(Call& call, std::string_view scope, const DictObject* options) {
  Task& task = Scheduler::current();
  if (scope == "task_group") return task_group_scope_id(task);
  if (scope == "task") return "task:" + task_id_text(task.id);
  // Outside a workflow or an agent session both stand for the whole program.
  if (scope == "agent_session") {
    if (auto session = current_session(call.vm())) return "agent_session:" + session->id;
  }
  if (scope == "workflow_run") {
    Value workflow = scope_value(task, "workflow");
    const Value* run = workflow.is_dict() ? workflow.as_dict()->find("run_id") : nullptr;
    if (run && run->is_string()) return "workflow_run:" + std::string(run->as_string()->view());
  }
  if (scope == "workflow_run" || scope == "agent_session") return std::string(scope) + ":" + task_id_text(0);
  if (scope == "tenant") return tenant_scope_id(call, options);
  if (scope == "process") return std::string("process:vm");
  if (scope == "durable" || scope == "event_log") {
    return runtime_error(ErrorKind::Invalid,
                         "{}: scope '{}' is not shared state: use store_* or agent_state_* for durable state",
                         call.row().name, scope);
  }
  if (scope == "external" || scope == "host") {
    return runtime_error(ErrorKind::Invalid,
                         "{}: scope '{}' is not shared state: use host or connector functions for external state",
                         call.row().name, scope);
  }
  return runtime_error(
      "{}: unknown scope '{}' (expected task, task_group, workflow_run, agent_session, tenant or process)",
      call.row().name, scope);
}

Outcome<ScopedName> scoped_name(Call& call) {
  const Value& given = call.arg(0);
  if (!given.is_string() && !given.is_dict()) return call.wrong_type(0, "a string or a dict of options");
  const DictObject* options = given.is_dict() ? given.as_dict() : nullptr;
  const StringObject* name = given.is_string() ? given.as_string() : text_field(options, "key");
  if (!name) name = text_field(options, "name");
  if (!name || name->size == 0) return runtime_error(ErrorKind::Invalid, "{}: key/name is required", call.row().name);
  const Value* scope = options ? options->find("scope") : nullptr;
  if (scope && !scope->is_nil() && !scope->is_string()) {
    return runtime_error(ErrorKind::Type, "{}: scope must be a string, got {}", call.row().name, type_name(*scope));
  }
  std::string_view which = scope && scope->is_string() ? scope->as_string()->view() : kDefaultScope;
  std::string id = HARN_TRY(scope_id(call, which, options));
  return ScopedName{std::move(id), std::string(name->view())};
}

bool read_scoped_handle(const Value& value, std::string_view type, std::string_view name_field, ScopedName& out) {
  const DictObject* dict = value.is_dict() ? value.as_dict() : nullptr;
  const StringObject* found_type = text_field(dict, "_type");
  const StringObject* scope = text_field(dict, "scope");
  const StringObject* name = text_field(dict, name_field);
  if (!found_type || found_type->view() != type || !scope || !name) return false;
  out = {std::string(scope->view()), std::string(name->view())};
  return true;
}

Value scoped_handle(std::string_view type, std::string_view name_field, const ScopedName& name) {
  return DictBuilder()
      .add("_type", text_value(type))
      .add("scope", text_value(name.scope))
      .add(name_field, text_value(name.name))
      .done();
}

Outcome<Value> read_shared(const Value& stored) {
  bool is_frozen = !stored.is_heap() || refs_of(stored.object()) <= 0;
  if (is_frozen) return stored;
  Value copied = HARN_TRY(transfer(stored));
  settle_cells(copied);
  return copied;
}

}  // namespace harn::builtins
