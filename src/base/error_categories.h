#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// What kind of failure a program is told about, as one word: `error_category(err)`.
namespace harn {

inline constexpr std::array<std::string_view, 17> kErrorCategories = {"timeout",
                                                                      "auth",
                                                                      "rate_limit",
                                                                      "overloaded",
                                                                      "server_error",
                                                                      "transient_network",
                                                                      "schema_validation",
                                                                      "tool_error",
                                                                      "tool_rejected",
                                                                      "egress_blocked",
                                                                      "cancelled",
                                                                      "not_found",
                                                                      "circuit_open",
                                                                      "budget_exceeded",
                                                                      "context_length",
                                                                      "content_filter",
                                                                      "generic"};

constexpr bool is_error_category(std::string_view name) {
  return std::ranges::find(kErrorCategories, name) != kErrorCategories.end();
}

}  // namespace harn
