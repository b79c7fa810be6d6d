#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "vm/value.h"

// What can stand behind `|`. One row each: the renderer and the documentation know no other list.
namespace harn::templates {

struct Filter {
  std::string_view name;
  size_t least, most;  // arguments
  // Or what is wrong: "`join` takes a list, a set or a string, got int".
  std::expected<vm::Value, std::string> (*apply)(const vm::Value& input, std::span<const vm::Value> args);
};

// Null when there is none of that name.
const Filter* find_filter(std::string_view name);
// Names close to one that is not there, for messages: ", did you mean `upper`?"; empty when none is.
std::string close_filter(std::string_view name);

}  // namespace harn::templates
