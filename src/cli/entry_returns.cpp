// Finds `return` in the code an entry runs itself; functions and closures inside it have their own.
#include "cli/entry_returns.h"

#include "syntax/children.h"

namespace harn::cli {

using namespace syntax;

namespace {

// Code that runs as part of something else, and returns from that.
bool is_apart(const Node& node) {
  switch (node.kind) {
    case NodeKind::Closure:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Impl:
    case NodeKind::Interface:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::Defer: return true;
    default: return false;
  }
}

bool any_returns(NodeList nodes) {
  std::vector<const Node*> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    if (node.is(NodeKind::Return)) return true;
    if (!is_apart(node)) for_each_child(node, [&](const Node& child) { open.push_back(&child); });
  }
  return false;
}

const Pipeline* entry(const Tree& tree) {
  const Pipeline* first = nullptr;
  for (const Node* node : tree.items) {
    if (!node->is(NodeKind::Pipeline)) continue;
    auto& pipeline = node->as<Pipeline>();
    if (pipeline.name.text == "default") return &pipeline;
    if (!first) first = &pipeline;
  }
  return first;
}

}  // namespace

bool entry_returns(const modules::Module& main) {
  if (const Pipeline* pipeline = entry(*main.tree)) return any_returns(main.pipelines.body_of(*pipeline)->statements);
  return any_returns(main.tree->items);
}

}  // namespace harn::cli
