#pragma once

#include <initializer_list>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/arena.h"
#include "types/type.h"

namespace harn::types {

// A type parameter and what is to stand in its place.
struct Binding {
  const Type* parameter = nullptr;
  const Type* type = nullptr;
};

// Makes types and owns them. For one thread; two tables have nothing in common, so types of different tables must
// not be mixed. An empty table costs nothing.
class TypeTable {
 public:
  TypeTable() = default;
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  // A type of types.def, with or without its arguments.
  const Type* named(Kind kind, TypeList arguments = {});
  const Type* named(Kind kind, std::initializer_list<const Type*> arguments);
  const Type* literal(std::string_view text);
  const Type* literal(int64_t number);
  const Type* literal_bool(bool value);
  // A row tail that is a shape is merged into the fields: those on the right win.
  const Type* list(const Type* item, bool loose) {
    return intern({.kind = Kind::List, .loose = loose, .items = {&item, 1}});
  }
  const Type* shape(std::span<const Field> fields, TypeList tails = {}, bool loose = false);
  const Type* function(std::span<const types::Parameter> params, const Type* result, TypeList generics = {});
  // Unions and intersections in normal form: nested ones are opened, each member is there once, `never` adds nothing
  // to a union, and nothing is added to `any` or `unknown`. One member is that member; none is `never`.
  const Type* unite(TypeList members);
  const Type* unite(std::initializer_list<const Type*> members) {
    return unite(TypeList(members.begin(), members.size()));
  }
  const Type* intersect(TypeList members);
  const Type* optional(const Type* type) { return unite({type, named(Kind::Nil)}); }
  // `owner`: the declaration whose parameter it is; parameters of different owners are different.
  const Type* parameter(std::string_view name, const syntax::Node* owner = nullptr, TypeList bounds = {},
                        Variance variance = Variance::Invariant);
  // Alias, Struct, Enum or Interface.
  const Type* declared(Kind kind, std::string_view name, const syntax::Node& declaration, TypeList arguments);
  const Type* foreign(std::string_view name, TypeList arguments);
  const Type* broken();

  // The type with other types in place of parameters, in normal form again.
  const Type* substitute(const Type* type, std::span<const Binding> bindings);

  // What a signature (signature.h) was found to mean; null: nobody has asked yet.
  const Type* find_signature(std::string_view text) const;
  const Type* remember_signature(std::string_view text, const Type* type);

  size_t size() const { return types_.size(); }

 private:
  struct Hash {
    size_t operator()(const Type* type) const;
  };
  struct Equal {
    bool operator()(const Type* a, const Type* b) const;
  };

  // The type in the table that says the same as `wanted`, which points at memory of the caller.
  const Type* intern(const Type& wanted);
  const Type* canonical_of(const Type& type);
  const Type* rebuild(const Type* type, std::span<const Binding> bindings);

  Arena arena_;
  std::unordered_set<const Type*, Hash, Equal> types_;
  std::unordered_map<std::string_view, const Type*> signatures_;
};

}  // namespace harn::types
