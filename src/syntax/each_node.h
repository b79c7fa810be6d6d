#pragma once

#include <vector>

#include "syntax/children.h"
#include "syntax/tree.h"

namespace harn::syntax {

// Calls `visit(node)` for every node of a file, each before what is in it, the later ones first. However deep the file is nested,
// this takes no stack.
template <class Visit>
void for_each_node(const Tree& tree, Visit visit) {
  std::vector<const Node*> open(tree.items.begin(), tree.items.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    visit(*node);
    for_each_child(*node, [&](const Node& child) { open.push_back(&child); });
  }
}

}  // namespace harn::syntax
