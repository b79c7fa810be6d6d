#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/code.h"
#include "types/lower.h"

namespace harn::compile {

// A constant: a bool, an int, a text, a list or a dict.
template <class T>
bytecode::DataPtr make_data(T value) {
  return std::make_shared<const bytecode::Data>(bytecode::Data{std::move(value)});
}

// The JSON schemas of types, as constants; each declared type's is made once.
class Schemas {
 public:
  explicit Schemas(types::Lowering& lowering) : lowering_(lowering) {}

  bytecode::DataPtr of(const types::Type* type);
  // The same for every struct, whether or not somebody asks for it: where structs are much intertwined, anything fits below
  // the first ones.
  bytecode::DataPtr of_declaration(const types::Type* structure);

 private:
  using Data = bytecode::Data;
  using DataPtr = bytecode::DataPtr;

  DataPtr declared(const types::Type* type);
  DataPtr contents(const types::Type* type);
  DataPtr object(std::span<const types::Field> fields);
  DataPtr any_of(types::TypeList members);
  DataPtr named(const types::Type* type);
  DataPtr values(std::string_view type, Data::List values);

  types::Lowering& lowering_;
  std::unordered_map<const types::Type*, DataPtr> made_;
  std::vector<const types::Type*> open_;  // declared types that are being written out
  size_t reaches_ = SIZE_MAX;             // the outermost of them that what is being made stops at
  size_t left_ = SIZE_MAX;                // declared types that may still be written out
};

}  // namespace harn::compile
