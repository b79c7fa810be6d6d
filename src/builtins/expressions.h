#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/vm.h"

// Harn expressions that come as text while a program runs: what a model asks to be computed.
namespace harn::builtins {

struct Expression {
  vm::Value
      function;  // takes the values of `names`, then `values`; unset: the expression is plain data, and `values` holds it alone
  std::vector<std::string> names;  // those that the expression mentions
  std::vector<vm::Value> values;   // plain data in it
  std::string problem;             // why there is none
};

// Compiles one expression, which may mention these names and builtins; statements and declarations are refused, and so are functions that change
// the program's policies, mocks, hooks, sessions or tasks, or end it. What is compiled stays with the VM, so data in an
// expression is not compiled: it is a parameter, and expressions that differ in it alone are one. Whether it may do anything to the world is for the
// caller's policy to say.
Expression compile_expression(vm::Vm& vm, std::string_view text, std::span<const std::string_view> names);

}  // namespace harn::builtins
