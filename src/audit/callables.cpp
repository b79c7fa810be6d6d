#include "audit/callables.h"

#include "syntax/tree.h"

namespace harn::audit {

using namespace syntax;

Callables::Callables(const compile::ResolvedProgram& program) : program_(program) {
  for (auto& [module, bindings] : program.names.bindings) read_module(*module, bindings);
}

void Callables::read_module(const modules::Module& module, const compile::Bindings& bindings) {
  for (const Node* node : module.tree->items) {
    if (node->is(NodeKind::Impl)) {
      for (const Function* method : node->as<Impl>().methods) {
        if (const Body* known = body(*method, module)) methods_[method->name.text].push_back(known);
      }
    } else if (node->is(NodeKind::Const)) {
      auto& constant = node->as<Const>();
      if (const compile::Variable* variable = bindings.variable(constant)) note_value(*variable, *constant.value);
    } else if (node->is(NodeKind::Let)) {
      auto& let = node->as<Let>();
      if (let.pattern->kind != PatternKind::Name) continue;
      const compile::Variable* variable = bindings.variable(let.pattern->fields[0]);
      if (!variable) continue;
      note_value(*variable, *let.value);
      if (let.value->is(NodeKind::Closure)) note_closure(*variable, let.value->as<Closure>(), module);
    }
  }
}

const Body* Callables::body(const Node& node, const modules::Module& module) {
  auto found = bodies_.find(&node);
  if (found != bodies_.end()) return &found->second;
  Body made{.declaration = &node, .module = &module};
  auto fill = [&](std::string_view name, List<Param> params, const Block* block) {
    made.name = name;
    made.params = params;
    made.block = block;
  };
  if (node.is(NodeKind::Function)) {
    auto& function = node.as<Function>();
    fill(function.name.text, function.params, function.body);
  } else if (node.is(NodeKind::Tool)) {
    auto& tool = node.as<Tool>();
    fill(tool.name.text, tool.params, tool.body);
  } else if (node.is(NodeKind::Pipeline)) {
    auto& pipeline = node.as<Pipeline>();
    fill(pipeline.name.text, pipeline.params, module.pipelines.body_of(pipeline));
  } else if (node.is(NodeKind::Closure)) {
    auto& closure = node.as<Closure>();
    fill("a closure", closure.params, closure.body);
  }
  if (!made.block) return nullptr;
  return &bodies_.emplace(&node, made).first->second;
}

Target Callables::target(const Node& callee, const modules::Module& module) {
  if (callee.is(NodeKind::Closure)) return {.body = body(callee, module)};
  if (!callee.is(NodeKind::Identifier)) return {};
  const compile::Variable* variable = program_.bindings(module).variable(callee);
  if (!variable) {
    std::string_view name = callee.as<Identifier>().name;
    return program_.catalog.find(name) ? Target{.builtin = name} : Target{};
  }
  if (variable->assigned) return {};
  if (auto found = closures_.find(variable); found != closures_.end()) return {.body = found->second};
  if (!variable->declaration) return {};
  const modules::Module* owner = variable->kind == compile::Variable::Kind::Global ? home(*variable) : &module;
  return {.body = body(*variable->declaration, owner ? *owner : module)};
}

const std::vector<const Body*>& Callables::methods(std::string_view name) const {
  static const std::vector<const Body*> none;
  auto found = methods_.find(name);
  return found == methods_.end() ? none : found->second;
}

void Callables::note_closure(const compile::Variable& variable, const Closure& closure, const modules::Module& module) {
  if (const Body* made = body(closure, module)) {
    closures_[&variable] = made;
    bodies_.at(&closure).name = variable.name;
  }
}

// Of two declarations that share a variable nobody knows which has run.
void Callables::note_value(const compile::Variable& variable, const Node& value) {
  if (variable.assigned || variable.is_parameter || variable.declarations.size() > 1) return;
  values_[&variable] = &value;
}

const Node* Callables::value(const compile::Variable& variable) const {
  auto found = values_.find(&variable);
  return found == values_.end() ? nullptr : found->second;
}

}  // namespace harn::audit
