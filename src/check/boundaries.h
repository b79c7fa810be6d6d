#pragma once

#include <algorithm>
#include <string_view>

namespace harn::check {

// Builtins whose results come from outside: nobody has promised their shape. The lint `untyped-dict-access` and
// `harn check --strict-types` are about them.
inline constexpr std::string_view kBoundaries[] = {"json_parse", "yaml_parse",     "toml_parse",    "host_call",
                                                   "mcp_call",   "host_tool_call", "connector_call"};

inline bool is_boundary(std::string_view builtin) {
  return std::find(std::begin(kBoundaries), std::end(kBoundaries), builtin) != std::end(kBoundaries);
}

}  // namespace harn::check
