#pragma once

#include <optional>
#include <unordered_set>

#include "bytecode/code.h"
#include "compile/schemas.h"
#include "types/lower.h"

namespace harn::compile {

// Where the values of a type are instances of structs: what comes as plain data (from a model, say) is made into a value of the type by it.
//
//   {struct: "Ticket"}   an instance; the fields of structs are told apart from this, by `fields`
//   {enum: "Color"}      one of its variants, as `variants` tells; with `others: ["nil"]` or `others: ["any"]`: or what else a union has
//   {set: {schema, instances?}}   a set, each item
//   {items: ...}         a list, each item
//   {values: ...}        a dict, each value
//
// `known`: the declarations of structs and enums that somebody can make values of; those of others are left as they are. Without it, all are.
class Instances {
 public:
  Instances(types::Lowering& lowering, Schemas& schemas, std::optional<std::unordered_set<const syntax::Node*>> known)
      : lowering_(lowering), schemas_(schemas), known_(std::move(known)) {}

  // Null: there is none in it.
  bytecode::DataPtr of(const types::Type* type);
  // {field: ...} of those fields of a struct that have some; null: there are none.
  bytecode::DataPtr fields(const types::Type* structure);
  // {variant: [{schema, instances?}, ...]}: of each variant of an enum, what it carries.
  bytecode::DataPtr variants(const types::Type* enumeration);

 private:
  bytecode::DataPtr of_union(const types::Type* type);
  // {schema, instances?}
  bytecode::DataPtr part_of(const types::Type* type);

  types::Lowering& lowering_;
  Schemas& schemas_;
  bool can_make(const syntax::Node* declaration) const { return !known_ || known_->contains(declaration); }

  std::optional<std::unordered_set<const syntax::Node*>> known_;
};

}  // namespace harn::compile
