// A handler that opens a pull request without having looked for secrets in what it publishes. Tools are known by name, as a
// function (`create_pull_request(...)`) or as a text (`host_tool_call("github.create_pull_request", ...)`).
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

constexpr std::string_view kOpens[] = {"create_pull_request", "open_pull_request", "create_pr", "open_pr"};
constexpr std::string_view kScans[] = {"secret_scan", "self_review"};
constexpr std::string_view kCallers[] = {"host_call", "host_tool_call", "connector_call", "mcp_call", "tool_call"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "github.create_pr" and "harn::secret_scan" mean what stands last.
std::string_view last_word(std::string_view name) {
  size_t at = name.find_last_of(".:/");
  return at == name.npos ? name : name.substr(at + 1);
}

// The names of tools that a call may mean.
template <class Visit>
void each_tool(const Node& node, Visit visit) {
  if (node.is(NodeKind::MethodCall)) return visit(node.as<MethodCall>().name.text);
  if (!node.is(NodeKind::Call)) return;
  auto& call = node.as<Call>();
  if (call.callee->is(NodeKind::Member)) return visit(call.callee->as<Member>().name.text);
  if (!call.callee->is(NodeKind::Identifier)) return;
  std::string_view name = call.callee->as<Identifier>().name;
  if (!is_one_of(name, kCallers)) return visit(name);
  for (const Node* arg : call.args) {
    if (arg->is(NodeKind::StringLiteral)) visit(last_word(arg->as<StringLiteral>().value));
  }
}

bool calls(const Node& node, std::span<const std::string_view> names) {
  bool found = false;
  each_tool(node, [&](std::string_view name) { found |= is_one_of(name, names); });
  return found;
}

void check(Pass& pass) {
  const auto& nodes = pass.nodes();
  std::vector<bool> scanned(nodes.size() + 1);  // by function; the last: the module's own code
  for (const Place& place : nodes) {
    size_t function = place.function == Places::kTop ? nodes.size() : place.function;
    if (calls(*place.node, kScans)) {
      // A closure scans for the function that it is part of.
      for (uint32_t at = place.function; at != Places::kTop; at = nodes[at].function) scanned[at] = true;
      scanned[function] = true;
    }
    if (!calls(*place.node, kOpens)) continue;
    bool is_safe = scanned[function];
    for (uint32_t at = place.function; at != Places::kTop && !is_safe; at = nodes[at].function) is_safe = scanned[at];
    std::string_view name;
    each_tool(*place.node, [&](std::string_view tool) { name = is_one_of(tool, kOpens) ? tool : name; });
    if (!is_safe)
      pass.report(place.node->span, name).help("call `secret_scan` with what is published, and stop on findings");
  }
}

}  // namespace

extern const Rule kPrOpenWithoutSecretScan = {
    .name = "pr-open-without-secret-scan",
    .code = diag::Code::UnscannedPullRequest,
    .module = check,
};

}  // namespace harn::lint
