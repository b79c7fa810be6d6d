#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/encoding.h"
#include "vm/vm.h"

namespace harn::data {

// The structs and enums of the running program, as the running task has them: those of the top level of its modules.
// A module is named by its path from the directory of the main module, so that a program finds its types again when it
// is started elsewhere or has been moved. Looks when it is first asked, so it is for one call, not to keep.
class ProgramTypes : public BuiltInTypes {
 public:
  explicit ProgramTypes(vm::Vm& vm) : vm_(vm) {}

  std::optional<TypeName> name_of(const vm::Value& type) override;
  vm::Value find(const TypeName& name) override;
  // What a name means where a struct is declared: a type of the same module, else the only one of the program with that name; nil: nobody can tell.
  vm::Value near(const vm::StructTypeObject& type, std::string_view name);

 private:
  void look();
  std::string module_name(std::string_view path) const;

  vm::Vm& vm_;
  bool has_looked_ = false;
  std::unordered_map<std::string, vm::Value> types_;  // by module and name
};

}  // namespace harn::data
