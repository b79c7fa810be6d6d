#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "compile/catalog.h"
#include "vm/builtin.h"

namespace harn::bytecode {
struct Program;
}

// All builtins together: as the VM looks them up, as the compiler does, and those that are written in Harn. The tables are
// made once per process, when first asked for, by any thread, and never change.
namespace harn::builtins {

// The builtins that come with Harn, and the rows that a host adds: a table for the VM, a catalogue for the compiler.
// Rows must outlive it, and have names that are not taken. Programs that were compiled with it run on a VM with it.
class Library {
 public:
  explicit Library(std::span<const vm::Builtin* const> added = {});
  // Without those whose name `is_denied`: a program that calls one gets an error that says so. What is written in Harn and
  // comes with us still has them.
  using IsDenied = std::function<bool(std::string_view name)>;
  Library(std::span<const vm::Builtin* const> added, const IsDenied& is_denied);
  ~Library();

  const vm::BuiltinTable& table() const { return table_; }
  const compile::Catalog& catalog() const { return *catalog_; }

 private:
  std::vector<vm::Builtin> denied_;  // rows that stand for others
  vm::BuiltinTable table_;
  std::unique_ptr<compile::Catalog> catalog_;
};

// Those that come with Harn alone, made on first use.
const vm::BuiltinTable& table();
const compile::Catalog& catalog();
// Compiles a part of the prelude: the builtins that are written in Harn.
std::unique_ptr<bytecode::Program> load_prelude(std::string_view part);

}  // namespace harn::builtins
