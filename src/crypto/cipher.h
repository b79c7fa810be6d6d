#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

// AES-256-GCM: texts that only those with the key can read, and that nobody else can have changed.
//
//   auto sealed = seal(key, nonce, text, "purpose");      // or why not: OpenSSL is not installed
//   auto opened = open(key, nonce, *sealed, "purpose");   // none: not made with this key, nonce and purpose
//
// A nonce must never be used twice with a key: a new random one each time. Plain functions for any thread.
namespace harn::crypto {

constexpr size_t kCipherKeyBytes = 32;
constexpr size_t kCipherNonceBytes = 12;

// The key and the nonce must have these sizes. The result is 16 bytes longer than the text.
std::expected<std::string, std::string> seal(std::string_view key, std::string_view nonce, std::string_view text,
                                             std::string_view purpose);
std::expected<std::optional<std::string>, std::string> open(std::string_view key, std::string_view nonce,
                                                            std::string_view sealed, std::string_view purpose);

}  // namespace harn::crypto
