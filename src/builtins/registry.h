#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compile/catalog.h"
#include "std/embedded.h"
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

// Whether the row stands for one that `is_denied`, and says so when it is called.
bool says_denied(const vm::Builtin& row);
// Those that come with Harn alone, made on first use.
const vm::BuiltinTable& table();
const compile::Catalog& catalog();
// The types that have a method, as `type_of` names them.
std::vector<std::string_view> receivers(const vm::Builtin& method);
// Whether a function needs no capability and is yet more than a computation: it changes policies, mocks, hooks, sessions or tasks of the program,
// or ends it. Also of the name in front of functions such as `event_log.read`.
bool changes_runtime(std::string_view name);
// A part of the prelude: the builtins that are written in Harn. `compiled`: the same as bytes (bytecode/program_bytes.h), if
// somebody has compiled it before.
std::unique_ptr<bytecode::Program> load_prelude(std::string_view part, std::string_view compiled = {});
// The name of the part that an embedded module is.
std::string_view prelude_part(const stdlib::EmbeddedModule& module);
// Compiles a part that is no file (builtins/expressions.h), for all VMs of the process; the last few hundred are kept.
struct AddedPart {
  std::string name;     // load_prelude knows it by
  std::string problem;  // why there is none
};
AddedPart add_prelude_part(const std::string& text);

}  // namespace harn::builtins
