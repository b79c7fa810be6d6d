#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Numbers as all text formats write them.
namespace harn::data {

// Digits of this base with an optional `-`; nothing when there is anything else, or the number does not fit.
std::optional<int64_t> parse_int(std::string_view digits, int base = 10);

// `-12`, `1.5`, `2e9`. A number beyond the range of floats is infinite, one too small for them zero; nothing when
// the text is no number.
std::optional<double> parse_float(std::string_view digits);

}  // namespace harn::data
