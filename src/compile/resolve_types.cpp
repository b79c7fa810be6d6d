// Types and the declarations that are no functions.
#include <algorithm>

#include "compile/redeclare.h"
#include "compile/resolve.h"

namespace harn::compile {

using namespace syntax;

void Resolver::visit(const Skill& node) {
  check_members(node, module_.source, sink_);
  read_children(node);
  bindings_.bind(node, scopes_.declare(node.name, false));
}

void Resolver::visit(const EvalPack& node) {
  check_members(node, module_.source, sink_);
  read_children(node);
  bindings_.bind(node, scopes_.declare(node.name, false));
}

void Resolver::visit(const Enum& node) {
  check_members(node, module_.source, sink_);
  Variable* variable = bindings_.bind(node, scopes_.declare(node.name, false));
  if (variable) variable->declaration = &node;
  with_generics(node.generics, [&] {
    for (const EnumVariant& variant : node.variants) {
      for (const Param& field : variant.fields) type(field.type);
    }
  });
}

void Resolver::visit(const Struct& node) {
  check_members(node, module_.source, sink_);
  Variable* variable = bindings_.bind(node, scopes_.declare(node.name, false));
  if (variable) variable->declaration = &node;
  with_generics(node.generics, [&] {
    for (const StructField& field : node.fields) type(field.type);
  });
}

void Resolver::visit(const TypeAlias& node) {
  check_members(node, module_.source, sink_);
  // An alias is not a value; it only needs an entry so that schema_of(T) finds the type.
  if (Variable* variable = scopes_.declare(node.name, false)) variable->declaration = &node;
  with_generics(node.generics, [&] { type(node.type); });
}

void Resolver::visit(const Interface& node) { check_members(node, module_.source, sink_); }

// Names in types are bound too: a parameter check or a typed catch must mean the type that is in
// scope where it is written.
void Resolver::type(const TypeNode* node) {
  if (!node) return;
  if (node->kind == TypeKind::Named) {
    bool is_parameter = std::find(generics_.begin(), generics_.end(), node->name.text) != generics_.end();
    if (is_parameter) names_.resolution.types.note_parameter(*node);
    else type_names_.push_back({node, scopes_.scope()});
  }
  for_each_child_of(*node, [this](const TypeNode& inner) { type(&inner); });
}

static bool is_type(const Node* node) {
  return node && (node->is(NodeKind::TypeAlias) || node->is(NodeKind::Struct) || node->is(NodeKind::Enum) ||
                  node->is(NodeKind::Interface));
}

// When everything has been read: types may be declared after they are used.
void Resolver::bind_type_names() {
  for (const TypeName& use : type_names_) {
    if (const Node* found = find_type(use.node->name.text, use.scope)) names_.resolution.types.bind(*use.node, found);
  }
}

const Node* Resolver::find_type(std::string_view name, const Scope* scope) {
  for (; scope; scope = scope->parent) {
    Variable* local = scope->find(name);
    if (local && is_type(local->declaration)) return local->declaration;
  }
  Variable* global = scopes_.find(name);
  return global && is_type(global->declaration) ? global->declaration : nullptr;
}

}  // namespace harn::compile
