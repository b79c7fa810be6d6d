#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/assert.h"
#include "data/json.h"
#include "vm/ops.h"

// Our reader must accept what simdjson accepts, and what it accepts must survive being written and
// read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  using namespace harn;
  std::string_view text(reinterpret_cast<const char*>(input), size);
  auto value = data::parse_json(text);
  simdjson::dom::parser parser;
  simdjson::padded_string padded(text);
  // simdjson gives up on some valid texts (large numbers, deep nesting), never the other way round.
  bool accepted = size > 0 && !parser.parse(padded).error();
  HARN_ASSERT(!accepted || value, "a valid text was refused");
  if (!value) return 0;

  for (int indent : {0, 2}) {
    std::string written;
    HARN_ASSERT(data::append_json(written, *value, indent), "a parsed value could not be written");
    // Numbers beyond the range of floats are read as infinity, which JSON cannot say.
    if (written.find("inf") != std::string::npos) continue;
    auto again = data::parse_json(written);
    HARN_ASSERT(again && vm::equal(*again, *value), "a value changed on its way through text");
  }
  return 0;
}
