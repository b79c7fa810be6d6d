#include "data/number_text.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace harn::data {

std::optional<int64_t> parse_int(std::string_view digits, int base) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  auto read = std::from_chars(digits.data(), end, number, base);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::optional<double> parse_float(std::string_view digits) {
  double number = 0;
  const char* end = digits.data() + digits.size();
  auto read = std::from_chars(digits.data(), end, number);
  if (read.ptr != end) return std::nullopt;
  // from_chars does not say whether the number was too large or too small.
  if (read.ec == std::errc::result_out_of_range) return strtod(std::string(digits).c_str(), nullptr);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace harn::data
