#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/tree.h"

namespace harn::modules {

// The pipelines of a module that extend others, with their whole bodies: what they override, what they inherit, and
// what they add. A statement that several pipelines inherit means something else in each, so each has nodes of its own.
struct ExtendedPipelines {
  std::unordered_map<const syntax::Pipeline*, const syntax::Block*> bodies;
  std::vector<std::unique_ptr<const syntax::Tree>> copies;  // where inherited nodes come from
  Arena arena;
  syntax::NodeId last_id;  // of all nodes, those of the module's own tree and these

  const syntax::Block* body_of(const syntax::Pipeline& pipeline) const {
    auto found = bodies.find(&pipeline);
    return found == bodies.end() ? pipeline.body : found->second;
  }
};

ExtendedPipelines extend_pipelines(const syntax::Tree& tree, diag::Sink& sink);

}  // namespace harn::modules
