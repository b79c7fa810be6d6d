// Interfaces: what their methods take and give, and which types have all of them.
//
// Satisfaction is implicit: a struct or an enum satisfies an interface when it has its methods, with as many parameters,
// which take at least what the interface promises to pass and give what it promises to give. What an associated type
// stands for is found out from the methods; it must be the same in all of them.
#include <algorithm>

#include "base/fmt.h"
#include "check/knowledge.h"

namespace harn::check {

using namespace syntax;

static bool takes_self(const Function& method) {
  return !method.params.empty() && method.params[0].name.text == "self";
}

// The method as the interface writes it, with the interface's own type parameters and associated types in it.
const Type* Knowledge::promised(const Type* interface, const Function& method) {
  auto& node = interface->declaration->as<Interface>();
  types::Lowering::Inside inside(lowering, node, node.generics);
  return function(method, takes_self(method) ? Self::Skip : Self::Keep);
}

const Type* Knowledge::interface_method(const Type* interface, std::string_view name) {
  auto& node = interface->declaration->as<Interface>();
  for (const Function* method : node.methods) {
    if (method->name.text != name) continue;
    auto bindings = lowering.own_bindings(interface);
    // Which type the implementation has chosen only the run knows.
    for (const AssociatedType& own : node.types) bindings.push_back({table.parameter(own.name.text), any_});
    return table.substitute(promised(interface, *method), bindings);
  }
  return nullptr;
}

// ---- satisfaction ----

namespace {

// What the associated types of an interface are for one implementation.
struct Associated {
  struct One {
    const Type* parameter;
    const Type* type = nullptr;
    const Type* clash = nullptr;
  };
  std::vector<One> all;

  // Looks for them where the two types have the same form.
  void bind(Knowledge& known, const Type* wanted, const Type* actual, int depth = 0) {
    if (!wanted->has_parameters || depth > 8) return;
    auto one = std::ranges::find(all, wanted, &One::parameter);
    if (one != all.end()) {
      if (types::is_gradual(known.relation.plain(actual))) return;
      if (!one->type) one->type = actual;
      else if (!same_type(one->type, actual)) one->clash = actual;
      return;
    }
    const Type* from = known.relation.plain(actual);
    const Type* to = known.relation.plain(wanted);
    if (from->kind != to->kind) return;
    for (size_t i = 0; i < to->items.size() && i < from->items.size(); ++i) {
      bind(known, to->items[i], from->items[i], depth + 1);
    }
  }
};

}  // namespace

// Why one method does not do for another; empty when it does. `own` and `wanted` are types of functions without self.
static std::string unfit(Knowledge& known, std::string_view name, const Type* own, const Type* wanted) {
  for (size_t i = 0; i < wanted->params.size(); ++i) {
    const Type* passed = wanted->params[i].type;
    if (known.relation.fits(passed, own->params[i].type)) continue;
    return fmt::format("method '{}' parameter {} has type {}, expected {}", name, i + 1, shown(own->params[i].type),
                       shown(passed));
  }
  if (known.relation.fits(own->result, wanted->result)) return "";
  return fmt::format("method '{}' returns {}, expected {}", name, shown(own->result), shown(wanted->result));
}

const Type* Knowledge::method_of(const Type* type, std::string_view name) {
  return type->kind == Kind::Interface ? interface_method(type, name) : method(type, name);
}

std::string Knowledge::unsatisfied(const Type* type, const Type* interface) {
  type = relation.plain(type);
  if (type->kind == Kind::Parameter) {
    bool promises =
        std::ranges::any_of(type->items, [&](const Type* bound) { return relation.fits(bound, interface); });
    return promises ? "" : fmt::format("nothing says that `{}` does", type->text);
  }
  if (type->kind == Kind::Interface && type->declaration == interface->declaration) {
    return relation.declared_arguments_fit(type, interface) ? "" : "its type arguments are others";
  }
  if (type->kind != Kind::Struct && type->kind != Kind::Enum && type->kind != Kind::Interface) {
    return "only structs and enums have methods of their own";
  }
  auto& node = interface->declaration->as<Interface>();
  auto bindings = lowering.own_bindings(interface);
  Associated associated;
  for (const AssociatedType& own : node.types) associated.all.push_back({table.parameter(own.name.text)});
  std::string missing;
  std::vector<std::pair<const Type*, const Type*>> pairs;  // what it has, what is asked for
  for (const Function* method : node.methods) {
    const Type* own = method_of(type, method->name.text);
    if (!own) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", method->name.text);
      continue;
    }
    const Type* wanted = table.substitute(promised(interface, *method), bindings);
    if (own->params.size() != wanted->params.size()) {
      return fmt::format("method '{}' has {} parameter(s), expected {}", method->name.text, own->params.size() + 1,
                         wanted->params.size() + 1);
    }
    for (size_t i = 0; i < wanted->params.size(); ++i) {
      associated.bind(*this, wanted->params[i].type, own->params[i].type);
    }
    associated.bind(*this, wanted->result, own->result);
    pairs.emplace_back(own, wanted);
  }
  if (!missing.empty()) return fmt::format("missing method(s): {}", missing);
  for (const Associated::One& one : associated.all) {
    if (one.clash) {
      return fmt::format("associated type '{}' resolves to both {} and {}", one.parameter->text, shown(one.type),
                         shown(one.clash));
    }
    bindings.push_back({one.parameter, one.type ? one.type : any_});
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [own, wanted] = pairs[i];
    std::string why = unfit(*this, node.methods[i]->name.text, own, table.substitute(wanted, bindings));
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace harn::check
