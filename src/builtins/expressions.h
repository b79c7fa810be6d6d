#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/vm.h"

// Harn expressions that come as text while a program runs: what a model asks to be computed.
namespace harn::builtins {

struct Expression {
  vm::Value function;              // takes the values of `names`
  std::vector<std::string> names;  // those that the expression mentions
  std::string problem;             // why there is none
};

// Compiles one expression, which may mention these names and builtins; statements and declarations are refused. What is compiled stays
// with the process: the same text is compiled once. Whether it may do anything to the world is for the caller's policy to say.
Expression compile_expression(vm::Vm& vm, std::string_view text, std::span<const std::string_view> names);

}  // namespace harn::builtins
