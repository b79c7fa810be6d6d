#pragma once

#include "harn/harn.h"
#include "vm/error.h"
#include "vm/value.h"

// Values of programs as plain data of the host, and back. On a thread that runs tasks, where the value is.
namespace harn::embed {

// More levels than this are refused, both ways: hosts walk over data on their stacks.
constexpr int kDeepest = 256;

// Refuses what is no data, and what has more parts than anyone would want.
vm::Outcome<Value> to_host(const vm::Value& value);
vm::Outcome<List> to_host(std::span<const vm::Value> values);

vm::Outcome<vm::Value> to_program(const Value& value);
vm::Outcome<std::vector<vm::Value>> to_program(const List& values);

}  // namespace harn::embed
