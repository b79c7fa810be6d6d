#pragma once

#include "base/result.h"
#include "vm/builtin.h"

// Limits that keep a slip such as `(1 to 10 ** 15).reverse()` or `"ab".repeat(10 ** 12)` an error
// of the program instead of an exhausted machine.
namespace harn::builtins {

inline vm::Outcome<bool> check_list_size(uint64_t size) {
  if (size > vm::kMaxListSize) {
    return vm::runtime_error(ErrorKind::Limit, "list too large: {} items, the limit is {}", size, vm::kMaxListSize);
  }
  return true;
}

inline vm::Outcome<bool> check_text_size(uint64_t size) {
  if (size > vm::kMaxStringSize) {
    return vm::runtime_error(ErrorKind::Limit, "string too large: {} bytes, the limit is {}", size, vm::kMaxStringSize);
  }
  return true;
}

// `count * size`, or the largest number when that does not fit.
inline uint64_t saturating_product(uint64_t count, uint64_t size) {
  uint64_t product;
  return __builtin_mul_overflow(count, size, &product) ? UINT64_MAX : product;
}

// The list in argument `i`; a range is written out unless it is too long for that.
inline vm::Outcome<vm::Ref<vm::ListObject>> bounded_list(vm::Call& call, uint32_t i) {
  if (vm::is_list_like(call.arg(i))) HARN_CHECK(check_list_size(vm::list_size(call.arg(i))));
  return call.list(i);
}

}  // namespace harn::builtins
