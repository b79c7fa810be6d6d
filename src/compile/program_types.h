#pragma once

#include "compile/bindings.h"
#include "compile/instances.h"
#include "compile/schemas.h"
#include "compile/type_checks.h"

namespace harn::compile {

// The types of a program, and what is made of them. Everything that is compiled together shares one: each annotation
// is lowered where it is used, each type checked and written as a schema in one way.
class ProgramTypes {
 public:
  explicit ProgramTypes(const TypeBindings& bindings) : names_(bindings) {}

  const types::Type* lower(const syntax::TypeNode& type) { return lowering_.lower(type); }
  bytecode::TypeCheckPtr param_check(const syntax::TypeNode& type) { return params_.of(lower(type)); }
  bytecode::TypeCheckPtr catch_check(const syntax::TypeNode& type) { return catches_.of(lower(type)); }
  // Of an alias in value position, which has no type arguments.
  bytecode::DataPtr schema(const syntax::TypeAlias& alias) {
    return schemas_.whole(table_.declared(types::Kind::Alias, alias.name.text, alias, {}));
  }
  bytecode::DataPtr schema(const syntax::Struct& structure) {
    return schemas_.of_declaration(table_.declared(types::Kind::Struct, structure.name.text, structure, {}));
  }
  bytecode::DataPtr schema(const syntax::TypeNode& type) { return schemas_.of(lower(type)); }
  const types::Type* type_of(const syntax::Struct& structure) {
    return table_.declared(types::Kind::Struct, structure.name.text, structure, {});
  }
  const types::Type* type_of(const syntax::Enum& enumeration) {
    return table_.declared(types::Kind::Enum, enumeration.name.text, enumeration, {});
  }
  // Null: no field holds any.
  bytecode::DataPtr field_instances(const syntax::Struct& structure) {
    return Instances(lowering_, schemas_, std::nullopt).fields(type_of(structure));
  }
  // Where values are instances of these structs and enums.
  Instances instances(std::unordered_set<const syntax::Node*> known) {
    return {lowering_, schemas_, std::move(known)};
  }

 private:
  // What the resolver has found out about the names in annotations.
  class ResolvedNames : public types::Scope {
   public:
    explicit ResolvedNames(const TypeBindings& bindings) : bindings_(bindings) {}
    Meaning find(const syntax::TypeNode& named) const override {
      return {.is_parameter = bindings_.is_parameter(named), .declaration = bindings_.declaration(named)};
    }

   private:
    const TypeBindings& bindings_;
  };

  ResolvedNames names_;
  types::TypeTable table_;
  types::Lowering lowering_{table_, names_};
  TypeChecks params_{lowering_, UnknownTypes::Anything};
  TypeChecks catches_{lowering_, UnknownTypes::ByName};
  Schemas schemas_{lowering_};
};

}  // namespace harn::compile
