#include "check/knowledge.h"

#include <algorithm>

#include "base/fmt.h"
#include "types/print.h"
#include "types/signature.h"

namespace harn::check {

using namespace syntax;

std::string shown(const Type* type) {
  constexpr size_t kLongest = 200;
  std::string text = types::print(type);
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

Knowledge::Knowledge(const compile::ResolvedProgram& program)
    : program(program),
      names_(program.names.resolution.types),
      any_(table.named(Kind::Any)),
      nil_(table.named(Kind::Nil)) {}

// ---- functions ----

const Type* Knowledge::signature(const Node& node, List<GenericParam> generics, List<WhereBound> where,
                                 List<Param> params, const TypeNode* result, bool is_gen, Self self) {
  types::Lowering::Inside inside(lowering, node, generics, where);
  std::vector<types::Parameter> own;
  for (const Param& param : params) {
    if (self == Self::Skip && &param == &params[0]) continue;
    const Type* type = param.type ? lowering.lower(*param.type) : any_;
    own.push_back({param.name.text, type, param.default_value != nullptr, param.rest});
  }
  const Type* returned = result ? lowering.lower(*result) : is_gen ? table.named(Kind::Stream) : any_;
  return table.function(own, returned, inside.parameters());
}

const Type* Knowledge::function(const Function& node, Self self) {
  auto& known = self == Self::Keep ? functions_ : called_methods_;
  auto [found, is_new] = known.try_emplace(&node, nullptr);
  if (is_new) {
    const Type* type = signature(node, node.generics, node.where, node.params, node.return_type, node.is_gen, self);
    known[&node] = type;
    return type;
  }
  return found->second ? found->second : any_;
}

const Type* Knowledge::pipeline(const Pipeline& node) {
  return signature(node, {}, {}, node.params, node.return_type, false, Self::Keep);
}

void Knowledge::read_impls() {
  if (has_impls_) return;
  has_impls_ = true;
  for (auto& [module, bindings] : program.names.bindings) {
    for (const Node* node : module->tree->items) {
      if (!node->is(NodeKind::Impl)) continue;
      const compile::Variable* owner = bindings.variable(*node);
      if (!owner || !owner->declaration) continue;
      auto& methods = impls_[owner->declaration];
      for (const Function* method : node->as<Impl>().methods) methods.push_back(method);
    }
  }
}

const std::vector<const Function*>* Knowledge::methods(const Type* structure) const {
  const_cast<Knowledge*>(this)->read_impls();
  auto found = impls_.find(structure->declaration);
  return found == impls_.end() ? nullptr : &found->second;
}

const Function* Knowledge::method_node(const Type* structure, std::string_view name) const {
  auto* all = methods(structure);
  if (!all) return nullptr;
  for (const Function* method : *all) {
    if (method->name.text == name) return method;
  }
  return nullptr;
}

const Type* Knowledge::method(const Type* structure, std::string_view name) {
  const Function* node = method_node(structure, name);
  if (!node) return nullptr;
  const Node& owner = *structure->declaration;
  types::Lowering::Inside inside(lowering, owner, types::generics_of(owner));
  return table.substitute(function(*node, Self::Skip), lowering.own_bindings(structure));
}

// ---- builtins ----

const Type* Knowledge::builtin(std::string_view name) {
  auto info = program.catalog.find(name);
  return info ? types::parse_signature(table, info->signature.text()) : nullptr;
}

const compile::MethodInfo* Knowledge::builtin_method(std::string_view receiver, std::string_view name) {
  if (all_methods_.empty()) {
    all_methods_ = program.catalog.methods();
    for (const compile::MethodInfo& method : all_methods_) {
      builtin_methods_.try_emplace(fmt::format("{}.{}", method.receiver, method.name), method);
    }
  }
  auto found = builtin_methods_.find(fmt::format("{}.{}", receiver, name));
  return found == builtin_methods_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Knowledge::method_names(std::string_view receiver) {
  builtin_method(receiver, "");
  std::vector<std::string_view> out;
  for (const compile::MethodInfo& method : all_methods_) {
    if (method.receiver == receiver) out.push_back(method.name);
  }
  return out;
}

// ---- parts of types ----

const std::vector<const Type*>& Knowledge::members(const Type* type) {
  auto [known, is_new] = members_.try_emplace(type);
  std::vector<const Type*>& out = known->second;
  if (!is_new) return out;
  std::vector<const Type*> open = {type};
  for (size_t steps = 0; !open.empty() && steps < 10000; ++steps) {
    const Type* next = open.back();
    open.pop_back();
    const Type* plain = lowering.resolve(next);
    if (plain->kind == Kind::Union) open.insert(open.end(), plain->items.rbegin(), plain->items.rend());
    else if (plain->kind != Kind::Never) out.push_back(next);
  }
  return out;
}

const Type* Knowledge::widened(const Type* type) {
  switch (type->kind) {
    case Kind::StringLiteral: return table.named(Kind::String);
    case Kind::IntLiteral: return table.named(Kind::Int);
    case Kind::BoolLiteral: return table.named(Kind::Bool);
    case Kind::Union: {
      std::vector<const Type*> items;
      for (const Type* item : type->items) items.push_back(widened(item));
      return table.unite(items);
    }
    case Kind::List:
    case Kind::Set: {
      if (type->items.empty()) return type;
      return type->kind == Kind::List ? table.list(widened(type->items[0]), type->loose)
                                      : table.named(type->kind, {widened(type->items[0])});
    }
    case Kind::Shape: {
      // Whoever begins with `{}` is about to add to it.
      if (type->fields.empty() && type->items.empty()) return table.named(Kind::Dict);
      std::vector<types::Field> fields(type->fields.begin(), type->fields.end());
      for (types::Field& field : fields) field.type = widened(field.type);
      return table.shape(fields, type->items, type->loose);
    }
    default: return type;
  }
}

bool Knowledge::has_nil(const Type* type) {
  auto [known, is_new] = nilable_.try_emplace(type, false);
  if (!is_new) return known->second;
  auto& all = members(type);
  bool found = std::ranges::any_of(all, [&](const Type* one) { return lowering.resolve(one)->kind == Kind::Nil; });
  return nilable_[type] = found;
}

const Type* Knowledge::without_nil(const Type* type) {
  if (!has_nil(type)) return type;
  std::vector<const Type*> all = members(type);
  std::erase_if(all, [&](const Type* member) { return lowering.resolve(member)->kind == Kind::Nil; });
  return table.unite(all);
}

}  // namespace harn::check
