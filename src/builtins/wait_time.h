#pragma once

#include "vm/scheduler.h"
#include "vm/vm.h"

// Times that builtins wait for, given in milliseconds.
namespace harn::builtins {

// A time that far from now; very large values mean never.
inline vm::Nanoseconds due_in(vm::Scheduler& scheduler, int64_t ms) {
  constexpr int64_t kCentury = int64_t{100} * 365 * 24 * 3600 * 1000;
  if (ms >= kCentury) return vm::kNever;
  return scheduler.clock().now() + std::max<int64_t>(0, ms) * vm::kMillisecond;
}

// The optional timeout in argument `index`: never when it was left out or is nil.
inline vm::Nanoseconds wait_due(vm::WaitCall& call, uint32_t index) {
  const vm::Value& value = call.arg(index);
  return value.is_int() ? due_in(call.scheduler(), value.as_int()) : vm::kNever;
}

}  // namespace harn::builtins
