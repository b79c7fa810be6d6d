#pragma once

#include <expected>
#include <string>
#include <string_view>

// Signatures and key agreement. Keys of services come as PEM; those of Ed25519 and X25519 are 32 raw bytes.
namespace harn::crypto {

template <class T>
using Result = std::expected<T, std::string>;  // or why not

// As JSON Web Tokens name them: ECDSA on P-256 (64 bytes: r and s), RSA PKCS #1 v1.5, both with SHA-256.
enum class Algorithm : uint8_t { Es256, Rs256 };
Result<std::string> sign(Algorithm algorithm, std::string_view private_pem, std::string_view message);
Result<bool> verify(Algorithm algorithm, std::string_view public_pem, std::string_view message,
                    std::string_view signature);

Result<std::string> ed25519_public(std::string_view private_key);
Result<std::string> ed25519_sign(std::string_view private_key, std::string_view message);
Result<bool> ed25519_verify(std::string_view public_key, std::string_view message, std::string_view signature);

Result<std::string> x25519_public(std::string_view private_key);
// The secret that both sides come to.
Result<std::string> x25519_agree(std::string_view private_key, std::string_view peer_public_key);

}  // namespace harn::crypto
