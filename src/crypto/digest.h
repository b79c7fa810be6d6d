#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

// Digests: a few bytes that stand for many.
//
//   auto digest = Digest::start("SHA2-256");   // or why not: OpenSSL is not installed
//   digest->add(bytes);
//   std::string sum = digest->finish();        // raw bytes
namespace harn::crypto {

class Digest {
 public:
  // "SHA256", "SHA512-256", "SHA3-256", "MD5", "BLAKE3".
  static std::expected<Digest, std::string> start(std::string_view name);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void add(std::string_view bytes);
  std::string finish();

 private:
  struct State;
  explicit Digest(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

std::expected<std::string, std::string> hmac_sha256(std::string_view key, std::string_view message);

// Whether both are the same, in a time that does not tell where they differ.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace harn::crypto
