#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "data/json.h"
#include "vm/dict.h"
#include "vm/objects.h"

// Reading and building the dicts that requests, answers and wire formats are made of. What is missing, or of another kind,
// reads as nil, empty or false: what models and servers send is never trusted to have a shape.
namespace harn::llm {

using vm::DictBuilder;
using vm::Value;

// The value of a key; nil where there is none, or where `dict` is no dict.
inline const Value& field(const Value& dict, std::string_view name) {
  static const Value nil;
  if (!dict.is_dict() && !dict.is(vm::Kind::Struct)) return nil;
  const Value* found = dict.as_dict()->find(name);
  return found ? *found : nil;
}
inline std::string_view text_of(const Value& value) {
  return value.is_string() ? value.as_string()->view() : std::string_view();
}
inline std::string_view text_field(const Value& dict, std::string_view name) { return text_of(field(dict, name)); }
inline bool flag_field(const Value& dict, std::string_view name) {
  const Value& value = field(dict, name);
  return value.is_bool() && value.as_bool();
}
inline std::optional<int64_t> int_field(const Value& dict, std::string_view name) {
  const Value& value = field(dict, name);
  if (value.is_int()) return value.as_int();
  if (value.is_float() && value.as_float() >= -9e15 && value.as_float() <= 9e15)
    return static_cast<int64_t>(value.as_float());
  return std::nullopt;
}
// A number of tokens: never negative, and never more than can be added up over all calls of a program.
constexpr int64_t kMostTokens = 1'000'000'000'000;
inline int64_t count_field(const Value& dict, std::string_view name) {
  const Value& value = field(dict, name);
  if (value.is_float()) {
    double count = value.as_float();
    return count >= kMostTokens ? kMostTokens : count > 0 ? static_cast<int64_t>(count) : 0;
  }
  return value.is_int() ? std::clamp<int64_t>(value.as_int(), 0, kMostTokens) : 0;
}
inline bool has_field(const Value& dict, std::string_view name) { return !field(dict, name).is_nil(); }

// for (const Value& item : items(value)): none where it is no list.
inline std::span<const Value> items(const Value& list) {
  return list.is_list() ? std::as_const(*list.as_list()).values() : std::span<const Value>();
}
inline std::span<const Value> items_field(const Value& dict, std::string_view name) { return items(field(dict, name)); }

inline void push(Value& list, Value item) { vm::writable_list(list)->push(std::move(item)); }

inline Value text_block(std::string_view text) {
  return DictBuilder().add("type", vm::text_value("text")).add("text", vm::text_value(text)).done();
}

// As JSON; a value too deep or too large for it is `null`.
inline std::string json_text(const Value& value) {
  std::string out;
  return data::append_json(out, value) ? out : "null";
}

}  // namespace harn::llm
