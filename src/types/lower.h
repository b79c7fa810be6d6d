#pragma once

#include <unordered_map>
#include <vector>

#include "syntax/ast.h"
#include "types/table.h"

namespace harn::types {

// What the names in annotations mean, and who hears of those that mean nothing.
class Scope {
 public:
  struct Meaning {
    bool is_parameter = false;                  // a type parameter
    const syntax::Node* declaration = nullptr;  // the alias, struct, enum or interface
  };

  virtual ~Scope() = default;
  virtual Meaning find(const syntax::TypeNode& named) const = 0;
  // The interface of a `where` clause, by name; null when there is none.
  virtual const syntax::Node* find_bound(const syntax::WhereBound&) const { return nullptr; }
  virtual void unknown(const syntax::TypeNode&) {}
  virtual void too_many_arguments(const syntax::TypeNode&) {}
};

// Where there are no names but those that every program knows.
class NoNames : public Scope {
 public:
  Meaning find(const syntax::TypeNode&) const override { return {}; }
};

// The type parameters of an alias, a struct, an enum or an interface.
syntax::List<syntax::GenericParam> generics_of(const syntax::Node& declaration);

// From annotations to types. Each annotation and each declaration is read once; what is inside a declared type is
// looked up when somebody asks, so a type may mention itself. The trees must outlive the table.
//
//   types::TypeTable table;
//   types::Lowering lowering(table, scope);
//   const Type* type = lowering.resolve(lowering.lower(*param.type));
class Lowering {
 public:
  Lowering(TypeTable& table, Scope& scope) : table_(table), scope_(scope) {}

  TypeTable& table() { return table_; }

  const Type* lower(const syntax::TypeNode& type);
  // What an alias stands for, through aliases of aliases; other types as they are. `type A = A` is `any`.
  // `Box<A | B>` is `Box<A> | Box<B>`.
  const Type* resolve(const Type* type);
  // The interface that a `where` names; null when it names none.
  const Type* bound(const syntax::WhereBound& where);
  // A shape with the fields that its row tails bring; what is left of the tails may bring any.
  const Type* whole_shape(const Type* shape);
  // The fields of a struct, with its type arguments in place.
  std::vector<Field> fields(const Type* structure);
  // The values that the variants of an enum carry, each under the name of its variant.
  std::vector<Field> payloads(const Type* enumeration);
  // The declared type with its own parameters as arguments: what `self` is in an impl.
  const Type* self_type(const syntax::Struct& structure);
  const Type* self_type(const syntax::Enum& enumeration);
  // What the type parameters of a struct, an enum or an interface stand for in this type; `any` for those that it does
  // not say.
  std::vector<Binding> own_bindings(const Type* declared);

  // The type parameters of a declaration, which annotations inside of it may name until this ends; those of what is around it
  // stay known.
  class Inside {
   public:
    Inside(Lowering& lowering, const syntax::Node& declaration, syntax::List<syntax::GenericParam> generics,
           syntax::List<syntax::WhereBound> where = {});
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    TypeList parameters() const { return parameters_; }

   private:
    Lowering& lowering_;
    size_t outer_;
    std::vector<const Type*> parameters_;
  };

 private:
  struct Bound {
    std::string_view name;
    const Type* parameter;
  };

  const Type* named(const syntax::TypeNode& type);
  const Type* shape(const syntax::TypeNode& type);
  const Type* function(const syntax::TypeNode& type);
  const Type* row_tail(const syntax::TypeNode& type);
  std::vector<const Type*> lower_all(syntax::List<const syntax::TypeNode*> types);

  const Type* expand(const Type* alias);
  const Type* distribute(const Type* alias);
  bool add_alternatives(const Type* type, std::vector<const Type*>& out);
  std::vector<const Type*> own_parameters(const syntax::Node& declaration);
  bool is_expanding(const Type* type) const;
  const Type* alias_body(const syntax::TypeAlias& node);
  std::vector<Binding> bindings(const syntax::Node& declaration, syntax::List<syntax::GenericParam> generics,
                                TypeList arguments);
  // Reads part of a declaration, where its own type parameters are known and no others.
  template <class Read>
  auto inside(const syntax::Node& declaration, syntax::List<syntax::GenericParam> generics, Read read);
  std::vector<Field> substituted(const std::vector<Field>& fields, std::span<const Binding> bindings);

  TypeTable& table_;
  Scope& scope_;
  std::vector<Bound> bound_;
  std::unordered_map<const syntax::Node*, const Type*> alias_bodies_;
  std::unordered_map<const syntax::Node*, std::vector<Field>> declared_fields_;  // of structs and enums
  std::unordered_map<const Type*, const Type*> expanded_;
  std::vector<const Type*> expanding_;
  std::unordered_map<const Type*, const Type*> whole_shapes_;
  size_t whole_depth_ = 0;
};

}  // namespace harn::types
