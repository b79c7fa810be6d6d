#pragma once

#include <algorithm>
#include <vector>

#include "syntax/children.h"
#include "syntax/tree.h"

namespace harn::syntax {

// Calls `visit(node)` for every node of a file in the order of the source, each before what is in it. However deep the file is
// nested, this takes no stack.
template <class Visit>
void for_each_node(const Tree& tree, Visit visit) {
  std::vector<const Node*> open(tree.items.rbegin(), tree.items.rend());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    visit(*node);
    auto inner = static_cast<std::ptrdiff_t>(open.size());
    for_each_child(*node, [&](const Node& child) { open.push_back(&child); });
    std::reverse(open.begin() + inner, open.end());
  }
}

}  // namespace harn::syntax
