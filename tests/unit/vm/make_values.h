#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"

// Short ways to write values in tests.
namespace harn::vm {

inline Value I(int64_t number) { return Value::integer(number); }
inline Value F(double number) { return Value::number(number); }
inline Value B(bool truth) { return Value::boolean(truth); }
inline Value S(std::string_view text) { return text_value(text); }

inline Value L(std::initializer_list<Value> items) {
  auto list = new_list();
  for (const Value& item : items) list->push(item);
  return list;
}
inline Value D(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  Value dict = new_dict();
  for (const auto& [key, value] : entries) dict_set(dict, key, value);
  return dict;
}
inline Value set_of(std::initializer_list<Value> items) {
  auto set = new_set();
  for (const Value& item : items) set->insert(item);
  return set;
}
// [[[...]]]
inline Value nested_list(size_t depth) {
  Value value = L({});
  for (size_t i = 0; i < depth; ++i) {
    auto outer = new_list(1);
    outer->push(std::move(value));
    value = std::move(outer);
  }
  return value;
}

}  // namespace harn::vm
