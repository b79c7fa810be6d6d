#pragma once

// The one place that knows which formatting library we use.
#include <fmt/format.h>

namespace harn {
using fmt::format;
}
