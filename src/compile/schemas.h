#pragma once

#include <memory>
#include <string>
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

  // Every type in it is written out. Where that would be a lot (intertwined types grow with each level), and where a type is
  // part of itself, anything fits.
  bytecode::DataPtr of(const types::Type* type);
  // The same, but what would be too much to write out is written once each, under `$defs`, and nothing is left out. Only for a
  // schema that is not to be a part of another.
  bytecode::DataPtr whole(const types::Type* type);
  // The same for every struct, whether or not somebody asks for it: where structs are much intertwined, anything fits below
  // the first ones.
  bytecode::DataPtr of_declaration(const types::Type* structure);

 private:
  using Data = bytecode::Data;
  using DataPtr = bytecode::DataPtr;

  DataPtr write(const types::Type* type);
  DataPtr declared(const types::Type* type);
  DataPtr reference(const types::Type* type);
  DataPtr contents(const types::Type* type);
  DataPtr object(std::span<const types::Field> fields);
  DataPtr any_of(types::TypeList members);
  DataPtr named(const types::Type* type);
  DataPtr values(std::string_view type, Data::List values);

  types::Lowering& lowering_;
  struct Made {
    DataPtr data;
    size_t types = 0;  // declared ones in it, as often as they are written
  };
  std::unordered_map<const types::Type*, Made> made_;
  std::vector<const types::Type*> open_;  // declared types that are being written out
  size_t reaches_ = SIZE_MAX;             // the outermost of them that what is being made stops at
  size_t left_ = 0;                       // declared types that may still be written out
  bool is_cut_ = false;                   // there were more of them

  // Of `whole`: declared types are written once.
  bool is_shared_ = false;
  std::unordered_map<const types::Type*, std::string> names_;
  std::unordered_map<std::string_view, size_t> taken_;
  std::vector<const types::Type*> waiting_;  // those with a name, in the order in which they are written
};

}  // namespace harn::compile
