#pragma once

#include <string>
#include <string_view>

// Letters in upper and lower case, by the tables of Unicode: one character may become several. Calls `step` as it goes.
namespace harn::data {

std::string upper(std::string_view text);
std::string lower(std::string_view text);

}  // namespace harn::data
