#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/assert.h"
#include "builtins/json_reader.h"
#include "builtins/json_text.h"
#include "vm/ops.h"

// Both readers of JSON must agree on every text, and what they accept must survive being written and
// read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace harn;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto fast = builtins::parse_json(text);
  auto exact = builtins::read_json_exactly(text);
  HARN_ASSERT(fast.has_value() == exact.has_value(), "the fast and the exact reader disagree");
  if (!fast) return 0;
  HARN_ASSERT(vm::equal(*fast, *exact), "the fast and the exact reader read different values");

  for (int indent : {0, 2}) {
    std::string written;
    HARN_ASSERT(builtins::append_json(written, *fast, indent), "a parsed value could not be written");
    // Numbers beyond the range of floats are read as infinity, which JSON cannot say.
    if (written.find("inf") != std::string::npos) continue;
    auto again = builtins::parse_json(written);
    HARN_ASSERT(again && vm::equal(*again, *fast), "a value changed on its way through text");
  }
  return 0;
}
