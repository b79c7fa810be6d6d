// Types as parameter checks and typed catches see them.
//
// Aliases are written out where they are used, with their type arguments in place. One that contains
// itself points back at the place where it began.
#include <algorithm>
#include <unordered_map>

#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

namespace {

using Check = std::shared_ptr<TypeCheck>;
using K = TypeCheck::Kind;
using Bindings = std::vector<std::pair<std::string_view, Check>>;  // type parameters

constexpr size_t kMostOpen = 32;  // aliases inside aliases; deeper ones take anything
constexpr size_t kMostAlternatives = 64;

Check make(K kind, std::string text) {
  auto check = std::make_shared<TypeCheck>();
  check->kind = kind;
  check->text = std::move(text);
  return check;
}

std::string join(const std::vector<Check>& items, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += separator;
    out += items[i]->shown();
  }
  return out;
}

Check make_of(K kind, std::string_view name, std::vector<Check> items) {
  auto check = make(kind, fmt::format("{}<{}>", name, join(items, ", ")));
  check->items = std::move(items);
  return check;
}

class Lowering {
 public:
  explicit Lowering(UnknownTypes unknown) : unknown_(unknown) {}

  Check lower(const TypeNode& type, const Bindings& bound) {
    switch (type.kind) {
      case TypeKind::Named: return named(type, bound);
      case TypeKind::List: return make_of(K::List, "list", {inside(*type.items[0], bound)});
      case TypeKind::Function: return make(K::Closure, function_text(type, bound));
      case TypeKind::Shape: return shape(type, bound);
      case TypeKind::Union:
      case TypeKind::Optional: return alternatives(type, bound);
      case TypeKind::Intersection: {
        auto check = make(K::Intersection, "");
        for (TypeNode* item : type.items) check->items.push_back(lower(*item, bound));
        check->text = join(check->items, " & ");
        return check;
      }
      case TypeKind::StringLiteral: return make(K::LiteralString, std::string(type.text));
      case TypeKind::IntLiteral: return literal(K::LiteralInt, type.number, std::to_string(type.number));
      case TypeKind::BoolLiteral: return literal(K::LiteralBool, type.number, type.number ? "true" : "false");
      case TypeKind::Error: break;
    }
    return make(K::Any, "any");
  }

 private:
  // An alias, struct or enum that is being written out.
  struct Open {
    const Node* declaration;
    std::string text;
    Check check;
    size_t containers;  // how many were around it
  };

  static Check literal(K kind, int64_t number, std::string text) {
    auto check = make(kind, std::move(text));
    check->number = number;
    return check;
  }

  // A type whose values are part of another value: recursion through it comes to an end.
  Check inside(const TypeNode& type, const Bindings& bound) {
    ++containers_;
    Check check = lower(type, bound);
    --containers_;
    return check;
  }

  std::string function_text(const TypeNode& type, const Bindings& bound) {
    std::vector<Check> params;
    for (TypeNode* item : type.items) params.push_back(inside(*item, bound));
    std::string out = fmt::format("fn({})", join(params, ", "));
    if (type.result) out += " -> " + inside(*type.result, bound)->shown();
    return out;
  }

  Check alternatives(const TypeNode& type, const Bindings& bound) {
    std::vector<Check> items;
    for (TypeNode* item : type.items) items.push_back(lower(*item, bound));
    if (type.kind == TypeKind::Optional) items.push_back(make(K::Nil, "nil"));
    return any_of(std::move(items));
  }

  static Check any_of(std::vector<Check> items) {
    auto check = make(K::Union, join(items, "|"));
    check->items = std::move(items);
    return check;
  }

  // `...Base` brings the fields of a shape; a row variable brings whatever is there.
  Check shape(const TypeNode& type, const Bindings& bound) {
    auto check = make(K::Shape, "");
    for (const ShapeField& field : type.fields) {
      check->fields.push_back({std::string(field.name.text), field.optional, inside(*field.type, bound)});
    }
    for (TypeNode* tail : type.row_tails) {
      Check more = lower(*tail, bound);
      if (more->kind != K::Shape) continue;
      for (const TypeCheck::Field& field : more->fields) {
        std::erase_if(check->fields, [&](const TypeCheck::Field& known) { return known.name == field.name; });
        check->fields.push_back(field);
      }
    }
    std::string text;
    for (const TypeCheck::Field& field : check->fields) {
      text += fmt::format("{}{}{}: {}", text.empty() ? "" : ", ", field.name, field.optional ? "?" : "",
                          field.type->shown());
    }
    check->text = fmt::format("{{{}}}", text);
    return check;
  }

  Check named(const TypeNode& type, const Bindings& bound) {
    std::string_view name = type.name.text;
    for (auto& [parameter, check] : bound) {
      if (parameter == name && type.is_parameter) return check;
    }
    if (type.is_parameter) return make(K::Any, std::string(name));
    if (type.declaration) return declared(type, *type.declaration, bound);
    if (name == "owned" && type.items.size() == 1) return lower(*type.items[0], bound);
    if (name == "Result") return result(type, bound);
    static const std::unordered_map<std::string_view, K> kNames = {
        {"int", K::Int},     {"float", K::Float}, {"number", K::Number},  {"string", K::String},
        {"bytes", K::Bytes}, {"bool", K::Bool},   {"list", K::List},      {"dict", K::Dict},
        {"set", K::Set},     {"nil", K::Nil},     {"closure", K::Closure}};
    auto known = kNames.find(name);
    if (known == kNames.end()) return unknown(name);
    if (type.items.empty()) return make(known->second, std::string(name));
    auto check = make_of(known->second, name, arguments(type, bound));
    // Keys are always strings: a dict's values are what is checked.
    if (known->second == K::Dict && check->items.size() == 2) check->items.erase(check->items.begin());
    return check;
  }

  Check unknown(std::string_view name) const {
    bool anything = unknown_ == UnknownTypes::Anything || name == "any" || name == "unknown" || name == "error";
    return make(anything ? K::Any : K::Nominal, std::string(name));
  }

  std::vector<Check> arguments(const TypeNode& type, const Bindings& bound) {
    std::vector<Check> out;
    for (TypeNode* item : type.items) out.push_back(inside(*item, bound));
    return out;
  }

  Check result(const TypeNode& type, const Bindings& bound) {
    auto args = arguments(type, bound);
    auto check = make(K::Enum, args.empty() ? "Result" : fmt::format("Result<{}>", join(args, ", ")));
    check->declaration = kResultDeclaration;
    static constexpr const char* kVariants[] = {"Ok", "Err"};
    for (size_t i = 0; i < args.size() && i < 2; ++i) check->fields.push_back({kVariants[i], false, args[i]});
    return check;
  }

  // ---- declarations ----

  Check declared(const TypeNode& type, const Node& declaration, const Bindings& bound) {
    auto args = arguments(type, bound);
    switch (declaration.kind) {
      case NodeKind::TypeAlias: return alias(declaration.as<TypeAlias>(), std::move(args));
      case NodeKind::Struct: {
        auto& node = declaration.as<Struct>();
        return instance(node, node.name.text, node.generics, args,
                        [&](const Bindings& inner) { return structure(node, inner); });
      }
      case NodeKind::Enum: {
        auto& node = declaration.as<Enum>();
        return instance(node, node.name.text, node.generics, args,
                        [&](const Bindings& inner) { return enumeration(node, inner); });
      }
      default: return make(K::Any, std::string(type.name.text));  // interfaces are checked by the compiler only
    }
  }

  // `Box<A | B>` is `Box<A> | Box<B>`.
  Check alias(const TypeAlias& node, std::vector<Check> args) {
    size_t total = 1;
    for (const Check& arg : args) total *= arg->kind == K::Union ? std::max<size_t>(1, arg->items.size()) : 1;
    auto choice = std::find_if(args.begin(), args.end(), [](const Check& arg) { return arg->kind == K::Union; });
    if (choice == args.end() || total > kMostAlternatives || node.generics.empty()) {
      return instance(node, node.name.text, node.generics, args,
                      [&](const Bindings& inner) { return lower(*node.type, inner); });
    }
    std::vector<Check> each;
    for (const Check& item : std::vector<Check>((*choice)->items)) {
      *choice = item;
      each.push_back(alias(node, args));
    }
    return any_of(std::move(each));
  }

  // A dict with the fields is as good as an instance: shapes are structural.
  Check structure(const Struct& node, const Bindings& bound) {
    auto check = make(K::Struct, std::string(node.name.text));
    check->declaration = declaration_id(node);
    check->number = !bound.empty();  // instances of a generic struct may hold anything
    for (const StructField& field : node.fields) {
      Check type = field.type ? inside(*field.type, bound) : make(K::Any, "any");
      check->fields.push_back({std::string(field.name.text), field.optional, std::move(type)});
    }
    return check;
  }

  // The values that variants carry are checked where type arguments say what they are.
  Check enumeration(const Enum& node, const Bindings& bound) {
    auto check = make(K::Enum, std::string(node.name.text));
    check->declaration = declaration_id(node);
    if (bound.empty()) return check;
    for (const EnumVariant& variant : node.variants) {
      for (const Param& field : variant.fields) {
        Check type = field.type ? inside(*field.type, bound) : make(K::Any, "any");
        check->fields.push_back({std::string(variant.name.text), false, std::move(type)});
      }
    }
    return check;
  }

  template <class Body>
  Check instance(const Node& declaration, std::string_view name, List<GenericParam> generics,
                 const std::vector<Check>& args, Body body) {
    std::string text(name);
    if (!args.empty()) text += fmt::format("<{}>", join(args, ", "));
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].declaration != &declaration || open_[i].text != text) continue;
      reaches_ = std::min(reaches_, i);
      // `type A = A | int` says nothing about A.
      if (open_[i].containers == containers_) return make(K::Any, text);
      auto again = make(K::Again, text);
      again->again = open_[i].check.get();
      return again;
    }
    auto known = finished_.find({&declaration, text});
    if (known != finished_.end()) return known->second;
    if (open_.size() >= kMostOpen) return make(K::Any, text);
    Bindings bound;
    for (size_t i = 0; i < generics.size() && i < args.size(); ++i) {
      bound.emplace_back(generics[i].name.text, args[i]);
    }
    size_t own = open_.size();
    size_t outer_reach = std::exchange(reaches_, SIZE_MAX);
    open_.push_back({&declaration, text, std::make_shared<TypeCheck>(), containers_});
    Check made = body(bound);
    Check check = open_.back().check;
    *check = *made;
    if (!args.empty() && declaration.kind != NodeKind::TypeAlias) check->text = text;
    open_.pop_back();
    // One that points back into something around it is no use without that.
    if (reaches_ >= own) finished_[{&declaration, text}] = check;
    reaches_ = std::min(outer_reach, reaches_ >= own ? SIZE_MAX : reaches_);
    return check;
  }

  struct KeyHash {
    size_t operator()(const std::pair<const Node*, std::string>& key) const {
      return std::hash<const void*>()(key.first) ^ std::hash<std::string>()(key.second);
    }
  };

  UnknownTypes unknown_;
  std::vector<Open> open_;
  std::unordered_map<std::pair<const Node*, std::string>, Check, KeyHash> finished_;
  size_t containers_ = 0;
  size_t reaches_ = SIZE_MAX;  // the outermost open declaration that what is being lowered points back at
};

}  // namespace

std::shared_ptr<TypeCheck> lower_type(const TypeNode& type, UnknownTypes unknown) {
  return Lowering(unknown).lower(type, {});
}

}  // namespace harn::compile
