#pragma once

namespace harn {

// Prints what is broken and stops the process. For bugs of ours, never for bad input.
[[noreturn]] void assertion_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace harn

#define HARN_ASSERT(condition, message) \
  (static_cast<bool>(condition) ? void(0) : ::harn::assertion_failed(#condition, message, __FILE__, __LINE__))
