#include "compile/leaves.h"

#include <algorithm>

namespace harn::compile {

using namespace syntax;

namespace {

class Leaving {
 public:
  explicit Leaving(const std::function<bool(const Call&)>& never_returns) : never_returns_(never_returns) {}

  bool block(const Block& block) const {
    return std::any_of(block.statements.begin(), block.statements.end(),
                       [&](const Node* node) { return statement(*node); });
  }

 private:
  bool statement(const Node& node) const {
    switch (node.kind) {
      case NodeKind::Return:
      case NodeKind::Throw:
      case NodeKind::Break:
      case NodeKind::Continue: return true;
      case NodeKind::Call: return never_returns_(node.as<Call>());
      case NodeKind::Block: return block(node.as<Block>());
      case NodeKind::Deadline: return block(*node.as<Deadline>().body);
      case NodeKind::Mutex: return block(*node.as<Mutex>().body);
      case NodeKind::If: return if_else(node.as<If>());
      case NodeKind::Match: return match(node.as<Match>());
      case NodeKind::Try: return try_catch(node.as<Try>());
      case NodeKind::While: return endless(node.as<While>());
      default: return false;
    }
  }

  bool if_else(const If& node) const {
    return node.else_branch && block(*node.then_block) && statement(*node.else_branch);
  }

  // A value that no arm takes is an error, which leaves too.
  bool match(const Match& node) const {
    return std::all_of(node.arms.begin(), node.arms.end(), [&](const MatchArm& arm) { return block(*arm.body); });
  }

  bool try_catch(const Try& node) const {
    if (node.finally_block && block(*node.finally_block)) return true;
    // `try { ... }` alone makes a Result of an error and goes on.
    bool goes_on_after_error = !node.finally_block || node.has_catch;
    bool handles = node.has_catch ? block(*node.catch_block) : !goes_on_after_error;
    return block(*node.body) && handles;
  }

  // With a `break` inside it may end; looking for one is not worth it for a warning.
  static bool endless(const While& node) {
    return node.condition->is(NodeKind::BoolLiteral) && node.condition->as<BoolLiteral>().value;
  }

  const std::function<bool(const Call&)>& never_returns_;
};

}  // namespace

bool leaves(const Block& block, const std::function<bool(const Call&)>& never_returns) {
  return Leaving(never_returns).block(block);
}

}  // namespace harn::compile
