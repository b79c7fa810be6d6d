#include "compile/runs.h"

#include <algorithm>

namespace harn::compile {

using namespace syntax;

namespace {

class Search {
 public:
  explicit Search(Runs what) : what_(what) {}

  bool any(const NodeList& list, int depth) {
    return std::any_of(list.begin(), list.end(), [&](const Node* node) { return in(node, depth); });
  }

  // Deep expressions are taken to run anything.
  bool in(const Node* node, int depth) {
    constexpr int kDeepest = 7;
    if (depth == kDeepest) return true;
    ++depth;
    switch (node->kind) {
      case NodeKind::NilLiteral:
      case NodeKind::BoolLiteral:
      case NodeKind::IntLiteral:
      case NodeKind::FloatLiteral:
      case NodeKind::DurationLiteral:
      case NodeKind::StringLiteral:
      // A task changes nothing of the one that starts it.
      case NodeKind::Identifier:
      case NodeKind::Closure:
      case NodeKind::Spawn: return false;
      case NodeKind::Unary: return in(node->as<Unary>().operand, depth);
      case NodeKind::InterpolatedString: return any(node->as<InterpolatedString>().parts, depth);
      case NodeKind::ListLiteral: return any(node->as<ListLiteral>().items, depth);
      // A generator may be pulled from.
      case NodeKind::Spread: return what_ == Runs::Code || in(node->as<Spread>().operand, depth);
      case NodeKind::DictLiteral: return in_entries(node->as<DictLiteral>().entries, depth);
      case NodeKind::StructLiteral: return in_entries(node->as<StructLiteral>().fields, depth);
      case NodeKind::Ternary:
        return in(node->as<Ternary>().condition, depth) || in(node->as<Ternary>().then_value, depth) ||
               in(node->as<Ternary>().else_value, depth);
      case NodeKind::Binary: return in(node->as<Binary>().left, depth) || in(node->as<Binary>().right, depth);
      case NodeKind::Member: return in(node->as<Member>().object, depth);
      case NodeKind::Index: return in(node->as<Index>().object, depth) || in(node->as<Index>().index, depth);
      case NodeKind::Call:
        return what_ == Runs::Code || any(node->as<Call>().args, depth) || in(node->as<Call>().callee, depth);
      case NodeKind::MethodCall:
        return what_ == Runs::Code || any(node->as<MethodCall>().args, depth) ||
               in(node->as<MethodCall>().object, depth);
      default: return true;
    }
  }

 private:
  bool in_entries(List<DictEntry> entries, int depth) {
    return std::any_of(entries.begin(), entries.end(), [&](const DictEntry& entry) {
      return (entry.computed && in(entry.computed, depth)) || (entry.value && in(entry.value, depth));
    });
  }

  Runs what_;
};

}  // namespace

bool may_run(const Node* node, Runs what) { return Search(what).in(node, 0); }

}  // namespace harn::compile
