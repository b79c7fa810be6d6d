#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/catalog.h"

// What a call may do to the world, in the words of `@invariant`.
namespace harn::audit {

// One row for each capability: its name, other words for it, and whether a call that has it needs an approval under
// `approval.reachability`. A question to a model spends money, but changes nothing.
#define HARN_AUDIT_CAPABILITIES(X)                                                            \
  X(FsWrite, "fs.write", "workspace.write fs.writes file.write workspace fs", true)           \
  X(ProcessExec, "process.exec", "command process exec shell command.exec process.run", true) \
  X(NetworkAccess, "network.access", "network net http egress network.egress", true)          \
  X(McpConnector, "mcp.connector", "connector mcp connector.call mcp.call", true)             \
  X(LlmModel, "llm.model", "llm model llm.call", false)                                       \
  X(WorkerDispatch, "worker.dispatch", "worker workers agent worker.spawn agent.spawn", true) \
  X(HumanApproval, "human.approval", "approval human hitl approval.request", false)           \
  X(AutonomyPolicy, "autonomy.policy", "autonomy", false)

enum class Capability : uint8_t {
#define HARN_ROW(id, name, aliases, acts) id,
  HARN_AUDIT_CAPABILITIES(HARN_ROW)
#undef HARN_ROW
};
constexpr size_t kCapabilities = static_cast<size_t>(Capability::AutonomyPolicy) + 1;

std::string_view name_of(Capability capability);
bool is_side_effect(Capability capability);
// By its name, or one of the other words for it.
std::optional<Capability> find_capability(std::string_view word);
std::vector<std::string_view> capability_names();

// Something that must have happened before, or that encloses a call.
enum class Gate : uint8_t {
  Approval = 1 << 0,         // request_approval, dual_control
  Budget = 1 << 1,           // a call of a model with a budget; llm_budget
  Autonomy = 1 << 2,         // with_autonomy_policy
  ExecutionPolicy = 1 << 3,  // with_execution_policy, with_dynamic_permissions
  CommandPolicy = 1 << 4,    // with_command_policy, command_policy_push
  EgressPolicy = 1 << 5,     // egress_policy
  ApprovalPolicy = 1 << 6,   // with_approval_policy
};
using Gates = uint8_t;
constexpr Gates bit(Gate gate) { return static_cast<Gates>(gate); }
// "a request_approval(...) or dual_control(...)": what is missing when it is not there.
std::string_view description(Gate gate);

// What is known of a builtin beyond its row.
struct Effect {
  std::vector<Capability> capabilities;
  std::vector<uint32_t> written_paths;  // fs.write: which arguments say where to
  Gates grants = 0;                     // from here on
  Gates encloses = 0;                   // for the closures among its arguments
  Gates revokes = 0;
  bool is_named_by_text = false;  // host_call: the first argument says what it does
};
Effect effect_of(std::string_view builtin, const compile::Catalog& catalog);

// What an operation of the host does: "workspace.write_text".
struct HostEffect {
  std::optional<Capability> capability;
  bool may_change = true;  // it is not known to only look
};
HostEffect host_effect(std::string_view operation);

// Names that effect_of knows by heart, for a test that they exist.
std::vector<std::string_view> builtins_known_by_name();

}  // namespace harn::audit
