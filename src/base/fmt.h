#pragma once

// The one place that knows which formatting library we use.
#include <fmt/format.h>

// What does the work is compiled once (fmt_library.cpp), and not by every file that formats something: that was half of what
// such a file took to compile.
FMT_BEGIN_NAMESPACE
namespace detail {
extern template void vformat_to<char>(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                                      locale_ref);
}
FMT_END_NAMESPACE

namespace harn {
using fmt::format;
}
