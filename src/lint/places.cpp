#include "lint/places.h"

#include "lint/facts.h"
#include "syntax/children.h"

namespace harn::lint {

template <class T>
concept NodeOrType = std::is_same_v<T, syntax::Node> || std::is_same_v<T, syntax::TypeNode>;

uint32_t Places::function_around(uint32_t parent) const {
  if (parent == kTop || is_function(*nodes[parent].node)) return parent;
  return nodes[parent].function;
}

void Places::add(const syntax::Node& root) {
  using namespace syntax;
  struct Open {
    const Node* node;
    uint32_t parent;
    bool is_done;  // the node's own number is `parent` then
  };
  std::vector<Open> open = {{&root, kTop, false}};
  std::vector<const Node*> children;
  std::vector<const TypeNode*> waiting;
  while (!open.empty()) {
    Open at = open.back();
    open.pop_back();
    if (at.is_done) {
      nodes[at.parent].end = static_cast<uint32_t>(nodes.size());
      continue;
    }
    auto number = static_cast<uint32_t>(nodes.size());
    nodes.push_back({at.node, at.parent, 0, function_around(at.parent)});
    open.push_back({at.node, number, true});
    children.clear();
    for_each_child(*at.node, [&](const NodeOrType auto& child) {
      if constexpr (std::is_same_v<decltype(child), const TypeNode&>) waiting.push_back(&child);
      else children.push_back(&child);
    });
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.push_back({*child, number, false});
    while (!waiting.empty()) {
      const TypeNode* type = waiting.back();
      waiting.pop_back();
      types.push_back(type);
      for_each_child_of(*type, [&](const TypeNode& inner) { waiting.push_back(&inner); });
    }
  }
}

}  // namespace harn::lint
