#include "lint/uses.h"

#include <algorithm>

#include "lint/facts.h"
#include "lint/places.h"
#include "syntax/children.h"

namespace harn::lint {

using namespace syntax;
using compile::Variable;

struct Uses::Counting {
  Uses& uses;
  const compile::ResolvedProgram& program;
  const modules::Module& module;
  const compile::Bindings& bindings;
  const std::vector<Place>& nodes;

  void run() {
    for (uint32_t at = 0; at < nodes.size(); ++at) count(at);
  }

 private:
  void count(uint32_t at) {
    const Node& node = *nodes[at].node;
    switch (node.kind) {
      case NodeKind::Identifier:
        if (is_target(at)) each_meant(node, [](Use& use) { ++use.writes; });
        else read(at, node);
        return;
      case NodeKind::StructLiteral: return use_type(bindings.variable(node));
      case NodeKind::Impl:
        // Methods for somebody else's struct need its name; those for our own say nothing about who uses it.
        if (const Variable* owner = bindings.variable(node); owner && owner->module != &module) use_type(owner);
        break;
      case NodeKind::Match:
        for (const MatchArm& arm : node.as<Match>().arms) use_pattern(*arm.pattern);
        return;
      case NodeKind::Let:
        for (const PatternField& field : node.as<Let>().pattern->fields) {
          if (const Variable* variable = bindings.variable(field)) ++uses.variables_[variable].declarations;
        }
        return;
      case NodeKind::Function:
        for (const WhereBound& bound : node.as<Function>().where) uses.mentioned_.insert(bound.interface.text);
        break;
      default: break;
    }
    if (node.kind >= NodeKind::Function && !node.is(NodeKind::Broken)) mention(node.as<Declaration>());
  }

  // `x = 1`, `x += 1`, `x.part = 1`, `x[i].part = 1`: x is written, not read.
  bool is_target(uint32_t at) const {
    for (uint32_t parent = nodes[at].parent; parent != Places::kTop; parent = nodes[at].parent) {
      const Node& node = *nodes[at].node;
      const Node& around = *nodes[parent].node;
      if (around.is(NodeKind::Assign)) return around.as<Assign>().target == &node;
      if (around.is(NodeKind::Natural)) {  // `<:x>`
        NodeList outputs = around.as<Natural>().outputs;
        return std::find(outputs.begin(), outputs.end(), &node) != outputs.end();
      }
      bool is_object = (around.is(NodeKind::Member) && around.as<Member>().object == &node) ||
                       (around.is(NodeKind::Index) && around.as<Index>().object == &node);
      if (!is_object) return false;
      at = parent;
    }
    return false;
  }

  template <class Note>
  void each_meant(const Node& node, Note note) {
    auto candidates = program.names.resolution.candidates.find(&node);
    if (candidates == program.names.resolution.candidates.end()) {
      if (const Variable* variable = bindings.variable(node)) note(uses.variables_[variable]);
      return;
    }
    for (const Variable* variable : candidates->second) {
      if (variable) note(uses.variables_[variable]);
    }
  }

  void read(uint32_t at, const Node& node) {
    const Variable* variable = bindings.variable(node);
    if (!variable && !program.names.resolution.candidates.contains(&node)) return;
    uint32_t parent = nodes[at].parent;
    const Node* around = parent == Places::kTop ? nullptr : nodes[parent].node;
    bool is_called = around && ((around->is(NodeKind::Call) && around->as<Call>().callee == &node) ||
                                (around->is(NodeKind::Pipe) && around->as<Pipe>().right == &node));
    bool is_own = variable && variable->declaration && is_inside(at, variable->declaration);
    each_meant(node, [&](Use& use) {
      use.reads += !is_own;
      use.values += !is_called;
    });
    if (!is_own) use_type(variable);
  }

  // A function that only calls itself is not used.
  bool is_inside(uint32_t at, const Node* declaration) const {
    for (uint32_t place = nodes[at].function; place != Places::kTop; place = nodes[place].function) {
      if (nodes[place].node == declaration) return true;
    }
    return false;
  }

  void use_type(const Variable* variable) {
    if (variable && variable->declaration) uses.types_.insert(variable->declaration);
  }

  void use_pattern(const MatchPattern& pattern) {
    if (const Enum* owner = bindings.meaning(pattern).owner) uses.types_.insert(owner);
    for (const MatchPattern* item : pattern.items) use_pattern(*item);
  }

  void mention(const Declaration& declaration) {
    for (const Attribute& attribute : declaration.attributes) {
      for (const AttributeArg& arg : attribute.args) mention(*arg.value);
    }
  }

  void mention(const AttributeValue& value) {
    if (!value.text.empty()) uses.mentioned_.insert(value.text);
    for (const AttributeValue* item : value.items) mention(*item);
  }
};

Uses::Uses(const compile::ResolvedProgram& program, const modules::Module& module, const Places& places) {
  const compile::Bindings& bindings = program.bindings(module);
  Counting{*this, program, module, bindings, places.nodes}.run();
  auto use_types = [&](const Places& from) {
    for (const TypeNode* type : from.types) {
      if (const Node* declaration = program.names.resolution.types.declaration(*type)) types_.insert(declaration);
    }
  };
  use_types(places);
  // What pipelines inherit has nodes of its own (modules/extend.h).
  for (const auto& [pipeline, body] : module.pipelines.bodies) {
    Places inherited;
    inherited.add(*body);
    Counting{*this, program, module, bindings, inherited.nodes}.run();
    use_types(inherited);
  }
}

}  // namespace harn::lint
