// `walk_dir(root, {long_running: true})` gives a handle for something that runs on. A `defer` or `finally` must stop it, or
// an `owned` variable must hold it.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool runs_on(const Call& call) {
  for (const Node* arg : call.args) {
    const DictEntry* entry = find_entry(*arg, "long_running");
    if (entry && is_bool_literal(*entry->value, true)) return true;
  }
  return false;
}

bool cleans_up(const Node& node) {
  return node.is(NodeKind::Defer) || (node.is(NodeKind::Try) && node.as<Try>().finally_block);
}

// In the function that starts it, before or after.
bool has_cleanup(Pass& pass) {
  uint32_t function = pass.nodes()[pass.at()].function;
  uint32_t first = function == Places::kTop ? 0 : function;
  uint32_t last = function == Places::kTop ? static_cast<uint32_t>(pass.nodes().size()) : pass.nodes()[function].end;
  for (uint32_t at = first; at < last; ++at) {
    if (pass.nodes()[at].function == function && cleans_up(*pass.nodes()[at].node)) return true;
  }
  return false;
}

bool is_handed_on(Pass& pass) {
  const Node* parent = pass.parent();
  if (!parent) return false;
  if (parent->is(NodeKind::Return)) return true;
  if (!parent->is(NodeKind::Let)) return false;
  const TypeNode* type = parent->as<Let>().type;
  return type && type->kind == TypeKind::Named && type->name.text == "owned";
}

void check(Pass& pass, const Node& node) {
  auto& call = node.as<Call>();
  std::string_view name = pass.builtin(call);
  if (name.empty() || !runs_on(call) || is_handed_on(pass) || has_cleanup(pass)) return;
  pass.report(call.callee->span, name).help("stop it in a `defer` block behind the call");
}

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kLongRunningWithoutCleanup = {
    .name = "long-running-without-cleanup",
    .code = diag::Code::LongRunningHandle,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
