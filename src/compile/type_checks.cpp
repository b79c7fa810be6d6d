// Aliases are written out where they are used, and structs as what they hold. One that contains itself points back at
// the place where it began.
#include "compile/type_checks.h"

#include <algorithm>

#include "base/fmt.h"
#include "compile/declarations.h"
#include "types/print.h"

namespace harn::compile {

using bytecode::TypeCheck;
using types::Kind;
using types::Type;
using types::TypeList;
using K = TypeCheck::Kind;

namespace {

constexpr size_t kMostOpen = 32;      // declared types inside each other; deeper ones take anything
constexpr size_t kMostNested = 1000;  // kinds of a generic type inside of itself; further ones take anything
constexpr size_t kLongestText = 300;  // of an alias that messages write out; longer ones are shown by name

std::string join(const std::vector<const TypeCheck*>& items, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += separator;
    out += items[i]->shown();
  }
  return out;
}

K checked_kind(Kind kind) {
  switch (kind) {
    case Kind::Int: return K::Int;
    case Kind::Float: return K::Float;
    case Kind::Number: return K::Number;
    case Kind::String: return K::String;
    case Kind::Bytes: return K::Bytes;
    case Kind::Bool: return K::Bool;
    case Kind::List: return K::List;
    case Kind::Dict: return K::Dict;
    case Kind::Set: return K::Set;
    case Kind::Nil: return K::Nil;
    case Kind::Closure: return K::Closure;
    default: return K::Any;
  }
}

}  // namespace

class TypeChecks::Maker {
 public:
  Maker(std::deque<TypeCheck>& pool, types::Lowering& lowering, UnknownTypes unknown)
      : pool_(pool), lowering_(lowering), unknown_(unknown) {}

  const TypeCheck* check(const Type* type) {
    if (auto known = made_.find(type); known != made_.end()) return known->second;
    const TypeCheck* made = make(type);
    // What stands for a type inside itself depends on the place.
    if (std::ranges::find(open_, type, &Open::type) == open_.end()) made_[type] = made;
    return made;
  }

 private:
  // A declared type that is being written out.
  struct Open {
    const Type* type;
    TypeCheck* check;   // for those inside that point back; null: there are none yet
    size_t containers;  // how many were around it
  };

  TypeCheck* add(K kind, std::string text) {
    TypeCheck& check = pool_.emplace_back();
    check.kind = kind;
    check.text = std::move(text);
    return &check;
  }

  const TypeCheck* make(const Type* type) {
    switch (type->kind) {
      case Kind::Any:
      case Kind::Unknown:
      case Kind::Error:
      case Kind::Broken:
      case Kind::Parameter: return add(K::Any, types::print(type));
      case Kind::Function: return function(type);
      case Kind::Shape: return shape(type);
      case Kind::Union: return members(K::Union, type, "|");
      case Kind::Intersection: return members(K::Intersection, type, " & ");
      case Kind::StringLiteral: return add(K::LiteralString, std::string(type->text));
      case Kind::IntLiteral: return literal(K::LiteralInt, type);
      case Kind::BoolLiteral: return literal(K::LiteralBool, type);
      case Kind::Alias:
      case Kind::Struct:
      case Kind::Enum: return declared(type);
      case Kind::Interface: return add(K::Any, types::print(type));  // the compiler's own business
      case Kind::Result: return result(type);
      case Kind::Owned:
        if (!type->items.empty()) return check(type->items[0]);
        break;
      default: break;
    }
    return named(type);
  }

  const TypeCheck* literal(K kind, const Type* type) {
    TypeCheck* check = add(kind, types::print(type));
    check->number = type->integer;
    return check;
  }

  const TypeCheck* members(K kind, const Type* type, std::string_view separator) {
    std::vector<const TypeCheck*> items;
    for (const Type* item : type->items) items.push_back(check(item));
    TypeCheck* made = add(kind, join(items, separator));
    made->items = std::move(items);
    return made;
  }

  // A type whose values are part of another value: recursion through it comes to an end.
  const TypeCheck* inside(const Type* type) {
    ++containers_;
    const TypeCheck* made = check(type);
    --containers_;
    return made;
  }

  std::vector<const TypeCheck*> all_inside(TypeList types) {
    std::vector<const TypeCheck*> out;
    for (const Type* type : types) out.push_back(inside(type));
    return out;
  }

  const TypeCheck* function(const Type* type) {
    std::vector<const TypeCheck*> params;
    for (const types::Parameter& param : type->params) params.push_back(inside(param.type));
    return add(K::Closure, fmt::format("fn({}) -> {}", join(params, ", "), inside(type->result)->shown()));
  }

  std::vector<TypeCheck::Field> fields(std::span<const types::Field> fields) {
    std::vector<TypeCheck::Field> out;
    for (const types::Field& field : fields) {
      out.push_back({std::string(field.name), field.optional, inside(field.type)});
    }
    return out;
  }

  const TypeCheck* shape(const Type* type) {
    auto all = fields(lowering_.whole_shape(type)->fields);
    std::string text;
    for (const TypeCheck::Field& field : all) {
      text += fmt::format("{}{}{}: {}", text.empty() ? "" : ", ", field.name, field.optional ? "?" : "",
                          field.type->shown());
    }
    TypeCheck* made = add(K::Shape, fmt::format("{{{}}}", text));
    made->fields = std::move(all);
    return made;
  }

  std::string named_text(const Type* type, const std::vector<const TypeCheck*>& arguments) {
    std::string name =
        types::is_named_kind(type->kind) ? std::string(types::name_of(type->kind)) : std::string(type->text);
    return arguments.empty() ? name : fmt::format("{}<{}>", name, join(arguments, ", "));
  }

  const TypeCheck* named(const Type* type) {
    K kind = checked_kind(type->kind);
    if (kind == K::Any) return add(unknown_ == UnknownTypes::Anything ? K::Any : K::Nominal, named_text(type, {}));
    auto arguments = all_inside(type->items);
    TypeCheck* made = add(kind, named_text(type, arguments));
    // Keys are always strings: a dict's values are what is checked.
    if (!arguments.empty()) made->items = {arguments.back()};
    return made;
  }

  const TypeCheck* result(const Type* type) {
    static constexpr const char* kVariants[] = {"Ok", "Err"};
    auto arguments = all_inside(type->items);
    TypeCheck* made = add(K::Enum, named_text(type, arguments));
    made->declaration = bytecode::kResultDeclaration;
    for (size_t i = 0; i < arguments.size(); ++i) made->fields.push_back({kVariants[i], false, arguments[i]});
    return made;
  }

  // ---- declarations ----

  const TypeCheck* declared(const Type* type) {
    auto open = std::ranges::find(open_, type, &Open::type);
    if (open != open_.end()) return again(*open);
    if (open_.size() >= kMostOpen || is_endless(type)) return add(K::Any, types::print(type));
    open_.push_back({type, nullptr, containers_});
    const TypeCheck* made = contents(type);
    TypeCheck* awaited = open_.back().check;
    open_.pop_back();
    if (!awaited) return made;
    *awaited = *made;
    return awaited;
  }

  // `type W<T> = {l: W<W<T>>, r: W<list<T>>}` is another type each time.
  bool is_endless(const Type* type) {
    if (type->items.empty()) return false;
    auto is_same = [&](const Open& open) { return open.type->declaration == type->declaration; };
    return std::ranges::any_of(open_, is_same) && ++nested_[type->declaration] > kMostNested;
  }

  const TypeCheck* again(Open& open) {
    std::string text = types::print(open.type);
    // `type A = A | int` says nothing about A.
    if (open.containers == containers_) return add(K::Any, std::move(text));
    if (!open.check) open.check = add(K::Any, "");
    TypeCheck* made = add(K::Again, std::move(text));
    made->again = open.check;
    return made;
  }

  const TypeCheck* contents(const Type* type) {
    switch (type->kind) {
      case Kind::Struct: return structure(type);
      case Kind::Enum: return enumeration(type);
      default: break;
    }
    const TypeCheck* meant = check(lowering_.resolve(type));
    if (meant->text.size() <= kLongestText) return meant;
    TypeCheck* shortened = add(meant->kind, "");
    *shortened = *meant;
    shortened->text = types::print(type);
    return shortened;
  }

  // A dict with the fields is as good as an instance: shapes are structural.
  const TypeCheck* structure(const Type* type) {
    auto all = fields(lowering_.fields(type));
    TypeCheck* made = add(K::Struct, named_text(type, all_inside(type->items)));
    made->declaration = declaration_id(*type->declaration);
    made->number = !type->items.empty();  // instances of a generic struct may hold anything
    made->fields = std::move(all);
    return made;
  }

  // The values that variants carry are checked where type arguments say what they are.
  const TypeCheck* enumeration(const Type* type) {
    TypeCheck* made = add(K::Enum, named_text(type, all_inside(type->items)));
    made->declaration = declaration_id(*type->declaration);
    if (!type->items.empty()) made->fields = fields(lowering_.payloads(type));
    return made;
  }

  std::deque<TypeCheck>& pool_;
  types::Lowering& lowering_;
  UnknownTypes unknown_;
  std::unordered_map<const Type*, const TypeCheck*> made_;
  std::vector<Open> open_;
  std::unordered_map<const syntax::Node*, size_t> nested_;
  size_t containers_ = 0;
};

TypeChecks::TypeChecks(types::Lowering& lowering, UnknownTypes unknown)
    : pool_(std::make_shared<std::deque<TypeCheck>>()), maker_(std::make_unique<Maker>(*pool_, lowering, unknown)) {}

TypeChecks::~TypeChecks() = default;

bytecode::TypeCheckPtr TypeChecks::of(const Type* type) { return {pool_, maker_->check(type)}; }

}  // namespace harn::compile
