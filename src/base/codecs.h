#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

// Bytes as text, and back: hex, base64 and base32 (RFC 4648). What is decoded must be exactly what
// the encoder writes, apart from the case of hex digits: two texts never mean the same bytes.
namespace harn::codecs {

// Why a text cannot be decoded: "the character at offset 3 is not a hex digit".
using Decoded = std::expected<std::string, std::string>;

std::string to_hex(std::string_view bytes);
Decoded from_hex(std::string_view text);

enum class Base64 : uint8_t { Standard, Url };  // padded; with `-` and `_`, and not padded
std::string to_base64(std::string_view bytes, Base64 alphabet = Base64::Standard);
Decoded from_base64(std::string_view text, Base64 alphabet = Base64::Standard);

std::string to_base32(std::string_view bytes);
Decoded from_base32(std::string_view text);

}  // namespace harn::codecs
