#pragma once

#include <cstdlib>
#include <span>
#include <string_view>

#include "vm/builtin.h"

// Calls a builtin by its row, where there is no VM: only for those that do not ask for it.
inline harn::vm::Outcome<harn::vm::Value> call_row(std::span<const harn::vm::Builtin> rows, std::string_view name,
                                                   std::span<harn::vm::Value> args) {
  alignas(16) static char nothing[16];
  for (const harn::vm::Builtin& row : rows) {
    if (row.name != name) continue;
    harn::vm::Call call(reinterpret_cast<harn::vm::Vm&>(nothing), row, args.data(), static_cast<uint32_t>(args.size()));
    return row.call(call);
  }
  std::abort();
}
