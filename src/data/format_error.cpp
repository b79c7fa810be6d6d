#include "data/format_error.h"

#include "base/fmt.h"

namespace harn::data {

std::string FormatError::text() const {
  if (line == 0) return detail;
  return harn::format("{} at line {} column {}", detail, line, column);
}

}  // namespace harn::data
