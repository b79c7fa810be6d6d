#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/function.h"

namespace harn::park {

// A struct or enum declaration.
struct Declaration {
  const bytecode::Code* code;  // that holds it
  const bytecode::StructShape* struct_shape = nullptr;
  const bytecode::EnumShape* enum_shape = nullptr;
  uint64_t id() const { return struct_shape ? struct_shape->declaration : enum_shape->declaration; }
};

// The functions and declarations of a program by number: the same numbers in every process that has the same code.
// Addresses, and the ids of declarations, are others in each.
class CodeMap {
 public:
  void add(vm::Unit& unit);

  std::optional<uint64_t> number_of(const bytecode::Code* code) const;
  // Null: there is none of that number.
  vm::Prototype* prototype(uint64_t number) const;

  std::optional<uint64_t> declaration_number(uint64_t id) const;
  const Declaration* declaration(uint64_t number) const;
  const Declaration* find_declaration(uint64_t id) const;

  // The locks of `mutex` blocks, whose names say where in which file they are.
  std::optional<uint64_t> block_number(std::string_view lock) const;
  const std::string* block(uint64_t number) const;

  // Whether an instruction begins there, or the code ends.
  bool is_boundary(const bytecode::Code& code, uint32_t word);

  // What the meaning of numbers and of registers depends on: all of the code that was added. Not names of files, and
  // not where a line is in one, so that comments may change.
  std::string fingerprint() const;

 private:
  void add(vm::Prototype* proto);

  std::vector<vm::Prototype*> prototypes_;
  std::unordered_map<const bytecode::Code*, uint64_t> numbers_;
  std::vector<Declaration> declarations_;
  std::unordered_map<uint64_t, uint64_t> declaration_numbers_;  // by id
  std::vector<std::string> blocks_;
  std::unordered_map<std::string_view, uint64_t> block_numbers_;  // by names that the code holds
  std::unordered_map<const bytecode::Code*, std::vector<bool>> boundaries_;
};

}  // namespace harn::park
