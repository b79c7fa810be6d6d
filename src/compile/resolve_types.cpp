// Types and the declarations that are no functions.
#include <algorithm>

#include "base/error_kind.h"
#include "base/text.h"
#include "compile/foreign_names.h"
#include "compile/redeclare.h"
#include "compile/resolve.h"
#include "base/fmt.h"
#include "types/lower.h"
#include "types/type.h"

namespace harn::compile {

using diag::Code;
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
      for (const Param& field : variant.fields) {
        bool is_bare = field.name.empty() && field.type && field.type->items.empty();
        type(field.type, is_bare ? TypeUse::OwnName : TypeUse::Annotation);
      }
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

void Resolver::visit(const Interface& node) {
  check_members(node, module_.source, sink_);
  with_generics(node.generics, [&] {
    for (const AssociatedType& associated : node.types) generics_.push_back(associated.name.text);
    for (const AssociatedType& associated : node.types) type(associated.default_type);
    for (const Function* method : node.methods) {
      with_generics(method->generics, [&] {
        for (const Param& param : method->params) type(param.type);
        type(method->return_type);
        where(method->where);
      });
    }
  });
}

// Names in types are bound too: a parameter check or a typed catch must mean the type that is in
// scope where it is written.
void Resolver::type(const TypeNode* node, TypeUse use) {
  if (!node) return;
  if (node->kind == TypeKind::Named) {
    bool is_parameter = std::find(generics_.begin(), generics_.end(), node->name.text) != generics_.end();
    if (is_parameter) {
      names_.resolution.types.note_parameter(*node);
      if (!node->items.empty()) report_type_arguments(*node, 0);
    }
    if (!is_parameter) type_names_.push_back({node->name, node, scopes_.scope(), use});
  }
  for_each_child_of(*node, [&](const TypeNode& inner) {
    bool is_tail = std::find(node->row_tails.begin(), node->row_tails.end(), &inner) != node->row_tails.end();
    type(&inner, is_tail && inner.items.empty() ? TypeUse::OwnName : use);
  });
}

void Resolver::where(List<WhereBound> bounds) {
  for (const WhereBound& bound : bounds) {
    type_names_.push_back({bound.interface, nullptr, scopes_.scope(), TypeUse::Annotation, &bound});
  }
}

static bool is_type(const Node* node) {
  return node && (node->is(NodeKind::TypeAlias) || node->is(NodeKind::Struct) || node->is(NodeKind::Enum) ||
                  node->is(NodeKind::Interface));
}

// When everything has been read: types may be declared after they are used.
void Resolver::bind_type_names() {
  for (const TypeName& use : type_names_) {
    const Node* found = find_type(use.name.text, use.scope);
    if (!found) report_unknown_type(use);
    else if (use.node) names_.resolution.types.bind(*use.node, found);
    else if (use.bound) names_.resolution.types.bind(*use.bound, found);
    if (use.node && !use.node->items.empty()) check_type_arguments(*use.node, found);
  }
}

// Without arguments each parameter is anything; with some there is one for each.
void Resolver::check_type_arguments(const TypeNode& node, const Node* declaration) {
  const types::NamedKind* kind = declaration ? nullptr : types::find_named_kind(node.name.text);
  if (!declaration && !kind) return;
  size_t wanted = declaration ? types::generics_of(*declaration).size() : kind->variances.size();
  if (node.items.size() != wanted) report_type_arguments(node, wanted);
}

void Resolver::report_type_arguments(const TypeNode& node, size_t wanted) {
  if (!options_.unknown_variables) return;
  std::string_view plural = wanted == 1 ? "" : "s";
  std::string takes = wanted == 0 ? "no type arguments" : fmt::format("{} type argument{}", wanted, plural);
  sink_.report(Code::TypeParameterCount, module_.source, node.span, node.name.text, takes, node.items.size());
}

// Only a check says so: types of this name take anything in a run.
void Resolver::report_unknown_type(const TypeName& use) {
  std::string_view name = use.name.text;
  if (!options_.unknown_variables || module_.unresolved_imports || use.use == TypeUse::OwnName || name.empty()) return;
  if (types::find_named_kind(name) || error_kind_of_type(name) || is_handed_in(name)) return;
  if (use.use == TypeUse::Caught && is_declared_somewhere(name)) return;
  std::vector<std::string_view> known;
  for (std::string_view visible : scopes_.visible_names(use.scope)) {
    if (find_type(visible, use.scope)) known.push_back(visible);
  }
  for (const types::NamedKind& row : types::named_kinds()) known.push_back(row.name);
  for (std::string_view type : error_types()) known.push_back(type);
  auto report = sink_.report(Code::UnknownType, module_.source, use.name.span, name);
  std::string_view meant = type_meant_by(name);
  auto close = text::close_names(name, known);
  if (meant.empty() && !close.empty()) meant = close[0];
  if (meant.empty()) {
    report.label("not declared, imported or built in");
    return;
  }
  report.label("unknown type");
  report.help(fmt::format("did you mean `{}`?", meant));
  report.fix({fmt::format("use `{}`", meant), use.name.span, std::string(meant), false});
}

bool Resolver::is_declared_somewhere(std::string_view name) const {
  return std::any_of(names_.modules.begin(), names_.modules.end(), [&](const auto& module) {
    auto found = module.second.find(name);
    return found != module.second.end() && is_type(found->second->declaration);
  });
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
