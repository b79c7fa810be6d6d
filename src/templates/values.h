#pragma once

#include "templates/template.h"
#include "vm/value.h"

// What templates make of values: mostly what the language does, and where not it is here. Any thread that may use the values.
namespace harn::templates {

// The largest text that a template, or a filter in it, may make.
constexpr size_t kMostText = size_t{1} << 30;

// As in the language, but text of nothing but white space is false.
bool is_true(const vm::Value& value);
// A part of a value; nil where there is none, or where the value has no parts.
vm::Value part_of(const vm::Value& value, const std::string& key);
vm::Value part_of(const vm::Value& value, int64_t index);
// Numbers with numbers and text with text are ordered; of all others no ordering is true.
bool holds(Comparison op, const vm::Value& left, const vm::Value& right);
vm::Value value_of(const Literal& literal);

}  // namespace harn::templates
