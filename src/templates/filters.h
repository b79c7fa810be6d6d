#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "templates/template.h"
#include "vm/value.h"

// What can stand behind `|`. One row each: the renderer and the documentation know no other list.
namespace harn::templates {

struct Filter {
  std::string_view name;
  size_t least, most;  // arguments
  // Or what is wrong: "`join` takes a list, a set or a string, got int".
  std::expected<vm::Value, std::string> (*apply)(const vm::Value& input, std::span<const vm::Value> args);
};

// The filter that a template uses; or what is wrong: "unknown filter `uper`, did you mean `upper`?".
std::expected<const Filter*, std::string> filter_of(const Filtered::Step& step);

}  // namespace harn::templates
