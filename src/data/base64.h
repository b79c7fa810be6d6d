#pragma once

#include <string>
#include <string_view>

#include "vm/pace.h"

namespace harn::data {

// Standard alphabet, with padding.
inline void append_base64(std::string& out, std::string_view octets) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < octets.size(); i += 3) {
    vm::step();
    auto octet = [&](size_t n) { return i + n < octets.size() ? static_cast<uint8_t>(octets[i + n]) : 0u; };
    uint32_t group = octet(0) << 16 | octet(1) << 8 | octet(2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < octets.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < octets.size() ? kDigits[group & 63] : '=';
  }
}

}  // namespace harn::data
