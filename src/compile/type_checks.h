#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bytecode/code.h"
#include "types/lower.h"

namespace harn::compile {

// What a name means at run time that nothing in scope declares, or that is not checked: a parameter takes
// anything; a catch takes the structs and enums of that name.
enum class UnknownTypes { Anything, ByName };

// Types as they are checked at run time, made once for each type of a program.
class TypeChecks {
 public:
  TypeChecks(types::Lowering& lowering, UnknownTypes unknown);
  ~TypeChecks();

  bytecode::TypeCheckPtr of(const types::Type* type);

 private:
  class Maker;
  // All checks, which point at each other. Code that was made keeps them.
  std::shared_ptr<std::deque<bytecode::TypeCheck>> pool_;
  std::unique_ptr<Maker> maker_;
};

}  // namespace harn::compile
