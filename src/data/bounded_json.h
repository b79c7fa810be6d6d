#pragma once

#include <cstddef>
#include <string>

#include "vm/value.h"

// JSON for somebody who shall see a little of a value, as a model does: of at most about so many bytes, however large the value is. What
// JSON cannot hold is a placeholder (`"<closure>"`); sets are lists, variants their names with what they carry (`"Color.Red"`, `{"Color.Rgb": [1, 2, 3]}`); what has no room any more is three dots. It looks at no more of a value than it writes.
//
//   bounded_json([1, 2, 3, 4], 16).text == "[1, 2, 3, 4]"
namespace harn::data {

struct BoundedJson {
  std::string text;
  bool was_cut = false;
};
BoundedJson bounded_json(const vm::Value& value, size_t most);

}  // namespace harn::data
