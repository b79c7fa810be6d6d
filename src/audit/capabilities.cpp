#include "audit/capabilities.h"

#include <algorithm>

namespace harn::audit {

namespace {

struct Row {
  std::string_view name, aliases;
  bool acts;
};

constexpr Row kRows[] = {
#define HARN_ROW(id, name, aliases, acts) {name, aliases, acts},
    HARN_AUDIT_CAPABILITIES(HARN_ROW)
#undef HARN_ROW
};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; at < words.size();) {
    size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// Most effects come from the capability in a builtin's row. Functions of the prelude need none of their own: what they
// call does. So what they are for is written here; a test compares the names with the catalogue.
struct Known {
  std::string_view name;
  std::optional<Capability> capability = {};
  Gates grants = 0, encloses = 0, revokes = 0;
  std::vector<uint32_t> written_paths = {};
};

const std::vector<Known>& known() {
  using enum Capability;
  static const std::vector<Known> rows = {
      {.name = "command_policy_pop", .revokes = bit(Gate::CommandPolicy)},
      {.name = "command_policy_push", .grants = bit(Gate::CommandPolicy)},
      {.name = "copy_file", .written_paths = {1}},
      {.name = "daemon_resume", .capability = WorkerDispatch},
      {.name = "daemon_spawn", .capability = WorkerDispatch},
      {.name = "daemon_trigger", .capability = WorkerDispatch},
      {.name = "egress_policy", .grants = bit(Gate::EgressPolicy)},
      {.name = "http_download", .capability = FsWrite, .written_paths = {1}},
      {.name = "llm_budget", .grants = bit(Gate::Budget)},
      {.name = "mcp_call", .capability = McpConnector},
      {.name = "mcp_complete", .capability = McpConnector},
      {.name = "mcp_ensure_active", .capability = McpConnector},
      {.name = "mcp_get_prompt", .capability = McpConnector},
      {.name = "mcp_list_prompts", .capability = McpConnector},
      {.name = "mcp_list_resource_templates", .capability = McpConnector},
      {.name = "mcp_list_resources", .capability = McpConnector},
      {.name = "mcp_list_tools", .capability = McpConnector},
      {.name = "mcp_read_resource", .capability = McpConnector},
      {.name = "move_file", .written_paths = {0, 1}},
      {.name = "resume_agent", .capability = WorkerDispatch},
      {.name = "send_input", .capability = WorkerDispatch},
      {.name = "spawn_agent", .capability = WorkerDispatch},
      {.name = "sub_agent_run", .capability = WorkerDispatch},
      {.name = "subagent_resume", .capability = WorkerDispatch},
      {.name = "with_approval_policy", .encloses = bit(Gate::ApprovalPolicy)},
      {.name = "with_autonomy_policy", .capability = AutonomyPolicy, .encloses = bit(Gate::Autonomy)},
      {.name = "with_command_policy", .encloses = bit(Gate::CommandPolicy)},
      {.name = "with_dynamic_permissions", .encloses = bit(Gate::ExecutionPolicy)},
      {.name = "with_execution_policy", .encloses = bit(Gate::ExecutionPolicy)},
      {.name = "worker_trigger", .capability = WorkerDispatch},
      {.name = "workflow_execute", .capability = WorkerDispatch},
  };
  return rows;
}

void add(std::vector<Capability>& to, Capability capability) {
  if (std::find(to.begin(), to.end(), capability) == to.end()) to.push_back(capability);
}

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto one) { return text.starts_with(one); });
}

}  // namespace

std::string_view name_of(Capability capability) { return kRows[static_cast<size_t>(capability)].name; }

bool is_side_effect(Capability capability) { return kRows[static_cast<size_t>(capability)].acts; }

std::optional<Capability> find_capability(std::string_view word) {
  for (size_t i = 0; i < kCapabilities; ++i) {
    if (kRows[i].name == word || has_word(kRows[i].aliases, word)) return static_cast<Capability>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> capability_names() {
  std::vector<std::string_view> out;
  for (const Row& row : kRows) out.push_back(row.name);
  return out;
}

std::string_view description(Gate gate) {
  switch (gate) {
    case Gate::Approval: return "`request_approval(...)` before it, or `dual_control(...)` around it";
    case Gate::Budget: return "`budget: {...}` among its options, or `llm_budget(...)` before it";
    case Gate::Autonomy: return "`with_autonomy_policy(...)` around it";
    case Gate::ExecutionPolicy: return "`with_execution_policy(...)` around it";
    case Gate::CommandPolicy: return "`with_command_policy(...)` around it";
    case Gate::EgressPolicy: return "`egress_policy(...)` before it";
    case Gate::ApprovalPolicy: return "`with_approval_policy(...)` around it";
  }
  return "";
}

Effect effect_of(std::string_view builtin, const compile::Catalog& catalog) {
  Effect out;
  auto info = catalog.find(builtin);
  if (auto capability = info ? find_capability(info->capability) : std::nullopt) add(out.capabilities, *capability);
  auto found = std::lower_bound(known().begin(), known().end(), builtin,
                                [](const Known& row, std::string_view name) { return row.name < name; });
  if (found != known().end() && found->name == builtin) {
    if (found->capability) add(out.capabilities, *found->capability);
    out.grants = found->grants;
    out.encloses = found->encloses;
    out.revokes = found->revokes;
    out.written_paths = found->written_paths;
  }
  bool writes =
      std::find(out.capabilities.begin(), out.capabilities.end(), Capability::FsWrite) != out.capabilities.end();
  if (writes && out.written_paths.empty()) out.written_paths = {0};
  out.is_named_by_text = builtin == "host_call";
  return out;
}

HostEffect host_effect(std::string_view operation) {
  size_t dot = operation.find('.');
  std::string_view of = operation.substr(0, dot);
  std::string_view what = dot == operation.npos ? std::string_view() : operation.substr(dot + 1);
  bool looks = begins_with_one_of(what, {"read", "get", "list", "exists", "stat", "find", "search", "glob", "has",
                                         "show", "status", "info", "describe"});
  if (of == "workspace" || of == "fs" || of == "file") {
    return looks ? HostEffect{{}, false} : HostEffect{Capability::FsWrite};
  }
  if (auto capability = find_capability(of)) return {capability, !looks};
  return {{}, !looks};
}

std::vector<std::string_view> builtins_known_by_name() {
  std::vector<std::string_view> out = {"host_call"};
  for (const Known& row : known()) out.push_back(row.name);
  return out;
}

}  // namespace harn::audit
