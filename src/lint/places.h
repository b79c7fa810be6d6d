#pragma once

#include <cstdint>
#include <vector>

#include "syntax/ast.h"

// A tree as a list: every node behind the one it stands in, in the order of the source. Trees may be 4,000 deep, so nothing
// that must read any program calls itself for each level; rules go over the list, or up from a node.
namespace harn::lint {

struct Place {
  const syntax::Node* node;
  uint32_t parent;    // its number; kTop: none
  uint32_t end;       // the number behind the last one inside
  uint32_t function;  // of the fn, closure, tool or pipeline that it is in; kTop: none
};

struct Places {
  static constexpr uint32_t kTop = UINT32_MAX;

  std::vector<Place> nodes;
  std::vector<const syntax::TypeNode*> types;  // also those inside others

  // Adds a node and all that is inside. Inner nodes of types are listed like the types themselves.
  void add(const syntax::Node& root);

 private:
  uint32_t function_around(uint32_t parent) const;
};

}  // namespace harn::lint
