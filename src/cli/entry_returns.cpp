// Finds `return` in the code an entry runs itself; functions and closures inside it have their own.
#include "cli/engine.h"

namespace harn::cli {

using namespace syntax;

namespace {

bool returns(const Node* node);

bool any_returns(NodeList nodes) {
  for (const Node* node : nodes) {
    if (returns(node)) return true;
  }
  return false;
}

bool arms_return(const Match& match) {
  for (const MatchArm& arm : match.arms) {
    if (returns(arm.body)) return true;
  }
  return false;
}

bool cases_return(const Select& select) {
  for (const SelectCase& option : select.cases) {
    if (returns(option.body)) return true;
  }
  return false;
}

bool branches_return(const Node* node) {
  for (; node && node->is(NodeKind::If); node = node->as<If>().else_branch) {
    if (returns(node->as<If>().then_block)) return true;
  }
  return returns(node);
}

bool returns(const Node* node) {
  if (!node) return false;
  switch (node->kind) {
    case NodeKind::Return: return true;
    case NodeKind::Block: return any_returns(node->as<Block>().statements);
    case NodeKind::If: return branches_return(node);
    case NodeKind::Match: return arms_return(node->as<Match>());
    case NodeKind::Try: {
      auto& attempt = node->as<Try>();
      return returns(attempt.body) || returns(attempt.catch_block) || returns(attempt.finally_block);
    }
    case NodeKind::Retry: return returns(node->as<Retry>().body);
    case NodeKind::Deadline: return returns(node->as<Deadline>().body);
    case NodeKind::Mutex: return returns(node->as<Mutex>().body);
    case NodeKind::CostRoute: return returns(node->as<CostRoute>().body);
    case NodeKind::Select: return cases_return(node->as<Select>());
    case NodeKind::For: return returns(node->as<For>().body);
    case NodeKind::While: return returns(node->as<While>().body);
    case NodeKind::Guard: return returns(node->as<Guard>().else_block);
    case NodeKind::Let: return returns(node->as<Let>().value);
    case NodeKind::Assign: return returns(node->as<Assign>().value);
    default: return false;
  }
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
  if (const Pipeline* pipeline = entry(*main.tree)) return returns(pipeline->body);
  return any_returns(main.tree->items);
}

}  // namespace harn::cli
