#pragma once

#include <unordered_set>

#include "bytecode/code.h"
#include "types/lower.h"

namespace harn::compile {

// Where the values of a type are instances of structs: what comes as plain data (from a model, say) is made into a value of the type by it.
//
//   {struct: "Ticket"}   an instance; the fields of structs are told apart from this, by `fields`
//   {items: ...}         a list, each item
//   {values: ...}        a dict, each value
//
// `known`: the declarations of structs that somebody can make instances of; values of others are left as they are.
class Instances {
 public:
  Instances(types::Lowering& lowering, std::unordered_set<const syntax::Node*> known)
      : lowering_(lowering), known_(std::move(known)) {}

  // Null: there is none in it.
  bytecode::DataPtr of(const types::Type* type);
  // {field: ...} of those fields of a struct that have some.
  bytecode::DataPtr fields(const types::Type* structure);

 private:
  types::Lowering& lowering_;
  std::unordered_set<const syntax::Node*> known_;
};

}  // namespace harn::compile
