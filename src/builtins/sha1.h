#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace harn::builtins {

// SHA-1, for name-based UUIDs only. Not for anything that must resist an attacker.
std::array<uint8_t, 20> sha1(std::string_view bytes);

}  // namespace harn::builtins
