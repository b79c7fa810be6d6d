#include "crypto/digest.h"

#include <optional>

#include "crypto/blake3.h"
#include "crypto/openssl.h"

namespace harn::crypto {

struct Digest::State {
  std::optional<Blake3> blake3;
  const OpenSsl* ssl = nullptr;
  Owned<EVP_MD_CTX> context{nullptr, nullptr};
};

Digest::Digest(std::unique_ptr<State> state) : state_(std::move(state)) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

std::expected<Digest, std::string> Digest::start(std::string_view name) {
  auto state = std::make_unique<State>();
  if (name == "BLAKE3") {
    state->blake3.emplace();
    return Digest(std::move(state));
  }
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  state->ssl = *ssl;
  const EVP_MD* kind = state->ssl->EVP_get_digestbyname(std::string(name).c_str());
  if (!kind) return std::unexpected("OpenSSL has no " + std::string(name));
  state->context = {state->ssl->EVP_MD_CTX_new(), state->ssl->EVP_MD_CTX_free};
  if (!state->context || state->ssl->EVP_DigestInit_ex(state->context.get(), kind, nullptr) != 1) {
    state->ssl->ERR_clear_error();
    return std::unexpected("OpenSSL does not offer " + std::string(name) + " here");
  }
  return Digest(std::move(state));
}

void Digest::add(std::string_view bytes) {
  if (state_->blake3) state_->blake3->add(bytes);
  else state_->ssl->EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Digest::finish() {
  if (state_->blake3) return state_->blake3->finish();
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  state_->ssl->EVP_DigestFinal_ex(state_->context.get(), sum, &size);
  return {reinterpret_cast<char*>(sum), size};
}

std::expected<std::string, std::string> hmac_sha256(std::string_view key, std::string_view message) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const EVP_MD* kind = (*ssl)->EVP_get_digestbyname("SHA256");
  auto* done = (*ssl)->HMAC(kind, key.data(), static_cast<int>(key.size()),
                            reinterpret_cast<const unsigned char*>(message.data()), message.size(), sum, &size);
  if (!done) return std::unexpected("OpenSSL could not compute an HMAC");
  return std::string(reinterpret_cast<char*>(sum), size);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < left.size(); ++i) difference |= static_cast<unsigned>(left[i] ^ right[i]);
  return difference == 0;
}

}  // namespace harn::crypto
