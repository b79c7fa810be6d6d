#include "crypto/keys.h"

#include <algorithm>

#include "crypto/openssl.h"

namespace harn::crypto {

namespace {

using Key = Owned<EVP_PKEY>;
constexpr size_t kHalf = 32;  // of an ES256 signature

const unsigned char* octets(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

Key own(const OpenSsl& ssl, EVP_PKEY* key) { return {key, ssl.EVP_PKEY_free}; }

// Encrypted keys are refused: there is nobody to ask for the password.
int no_password(char*, int, int, void*) { return -1; }

Result<Key> read_pem(const OpenSsl& ssl, std::string_view pem, bool is_private) {
  Owned<BIO> input(ssl.BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                   [](BIO* bio) { (*OpenSsl::load())->BIO_free(bio); });
  EVP_PKEY* key = is_private ? ssl.PEM_read_bio_PrivateKey(input.get(), nullptr, no_password, nullptr)
                             : ssl.PEM_read_bio_PUBKEY(input.get(), nullptr, no_password, nullptr);
  ssl.ERR_clear_error();
  if (!key) return std::unexpected(std::string("it cannot be read as PEM"));
  return own(ssl, key);
}

// Whether the key is one for the algorithm.
Result<void> check_kind(const OpenSsl& ssl, EVP_PKEY* key, Algorithm algorithm) {
  if (algorithm == Algorithm::Rs256) {
    if (ssl.EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA) return std::unexpected(std::string("it is not an RSA key"));
    if (ssl.EVP_PKEY_get_bits(key) < 2048) return std::unexpected(std::string("it has less than 2048 bits"));
    return {};
  }
  char curve[64] = "";
  size_t length = 0;
  bool is_p256 = ssl.EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
                 ssl.EVP_PKEY_get_group_name(key, curve, sizeof curve, &length) == 1 &&
                 std::string_view(curve, length) == "prime256v1";
  ssl.ERR_clear_error();
  if (!is_p256) return std::unexpected(std::string("it is not a key on the curve P-256"));
  return {};
}

Result<Key> read_key(const OpenSsl& ssl, Algorithm algorithm, std::string_view pem, bool is_private) {
  auto key = read_pem(ssl, pem, is_private);
  if (!key) return key;
  if (auto kind = check_kind(ssl, key->get(), algorithm); !kind) return std::unexpected(kind.error());
  return key;
}

Owned<ECDSA_SIG> own(const OpenSsl& ssl, ECDSA_SIG* signature) { return {signature, ssl.ECDSA_SIG_free}; }

// OpenSSL writes a pair of numbers as ASN.1; tokens have them side by side.
Result<std::string> pair_of(const OpenSsl& ssl, std::string_view asn1) {
  const unsigned char* at = octets(asn1);
  auto signature = own(ssl, ssl.d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(asn1.size())));
  if (!signature) return std::unexpected(std::string("OpenSSL made a signature that it cannot read"));
  const BIGNUM *r = nullptr, *s = nullptr;
  ssl.ECDSA_SIG_get0(signature.get(), &r, &s);
  std::string out(2 * kHalf, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  ssl.BN_bn2binpad(r, to, kHalf);
  ssl.BN_bn2binpad(s, to + kHalf, kHalf);
  return out;
}

std::string asn1_of(const OpenSsl& ssl, std::string_view pair) {
  auto signature = own(ssl, ssl.ECDSA_SIG_new());
  ssl.ECDSA_SIG_set0(signature.get(), ssl.BN_bin2bn(octets(pair), kHalf, nullptr),
                     ssl.BN_bin2bn(octets(pair) + kHalf, kHalf, nullptr));
  unsigned char* bytes = nullptr;
  int size = ssl.i2d_ECDSA_SIG(signature.get(), nullptr);
  std::string out(static_cast<size_t>(std::max(size, 0)), '\0');
  bytes = reinterpret_cast<unsigned char*>(out.data());
  ssl.i2d_ECDSA_SIG(signature.get(), &bytes);
  return out;
}

Owned<EVP_MD_CTX> new_context(const OpenSsl& ssl) { return {ssl.EVP_MD_CTX_new(), ssl.EVP_MD_CTX_free}; }

// `digest` null: the algorithm has its own.
Result<std::string> sign_with(const OpenSsl& ssl, EVP_PKEY* key, const EVP_MD* digest, std::string_view message) {
  auto context = new_context(ssl);
  size_t size = 0;
  bool is_ready = ssl.EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
                  ssl.EVP_DigestSign(context.get(), nullptr, &size, octets(message), message.size()) == 1;
  std::string out(size, '\0');
  bool is_done = is_ready && ssl.EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                                                octets(message), message.size()) == 1;
  ssl.ERR_clear_error();
  if (!is_done) return std::unexpected(std::string("OpenSSL could not sign with it"));
  out.resize(size);
  return out;
}

bool verify_with(const OpenSsl& ssl, EVP_PKEY* key, const EVP_MD* digest, std::string_view message,
                 std::string_view signature) {
  auto context = new_context(ssl);
  bool is_valid =
      ssl.EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
      ssl.EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message), message.size()) == 1;
  ssl.ERR_clear_error();
  return is_valid;
}

constexpr size_t kRawKey = 32;

Result<Key> raw_key(const OpenSsl& ssl, int kind, std::string_view bytes, bool is_private) {
  if (bytes.size() != kRawKey) return std::unexpected(std::string("a key has 32 bytes"));
  auto make = is_private ? ssl.EVP_PKEY_new_raw_private_key : ssl.EVP_PKEY_new_raw_public_key;
  EVP_PKEY* key = make(kind, nullptr, octets(bytes), bytes.size());
  ssl.ERR_clear_error();
  if (!key) return std::unexpected(std::string("OpenSSL does not take the key"));
  return own(ssl, key);
}

Result<std::string> raw_public(int kind, std::string_view private_key) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = raw_key(**ssl, kind, private_key, true);
  if (!key) return std::unexpected(key.error());
  std::string out(kRawKey, '\0');
  size_t size = out.size();
  (*ssl)->EVP_PKEY_get_raw_public_key(key->get(), reinterpret_cast<unsigned char*>(out.data()), &size);
  return out;
}

}  // namespace

Result<std::string> sign(Algorithm algorithm, std::string_view private_pem, std::string_view message) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = read_key(**ssl, algorithm, private_pem, true);
  if (!key) return std::unexpected(key.error());
  auto signature = sign_with(**ssl, key->get(), (*ssl)->EVP_get_digestbyname("SHA256"), message);
  if (!signature || algorithm == Algorithm::Rs256) return signature;
  return pair_of(**ssl, *signature);
}

Result<bool> verify(Algorithm algorithm, std::string_view public_pem, std::string_view message,
                    std::string_view signature) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = read_key(**ssl, algorithm, public_pem, false);
  if (!key) return std::unexpected(key.error());
  bool is_pair = algorithm == Algorithm::Es256;
  if (is_pair && signature.size() != 2 * kHalf) return false;
  std::string asn1 = is_pair ? asn1_of(**ssl, signature) : std::string(signature);
  return verify_with(**ssl, key->get(), (*ssl)->EVP_get_digestbyname("SHA256"), message, asn1);
}

Result<std::string> ed25519_public(std::string_view private_key) { return raw_public(EVP_PKEY_ED25519, private_key); }

Result<std::string> ed25519_sign(std::string_view private_key, std::string_view message) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = raw_key(**ssl, EVP_PKEY_ED25519, private_key, true);
  if (!key) return std::unexpected(key.error());
  return sign_with(**ssl, key->get(), nullptr, message);
}

Result<bool> ed25519_verify(std::string_view public_key, std::string_view message, std::string_view signature) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = raw_key(**ssl, EVP_PKEY_ED25519, public_key, false);
  return key && verify_with(**ssl, key->get(), nullptr, message, signature);
}

Result<std::string> x25519_public(std::string_view private_key) { return raw_public(EVP_PKEY_X25519, private_key); }

Result<std::string> x25519_agree(std::string_view private_key, std::string_view peer_public_key) {
  auto ssl = OpenSsl::load();
  if (!ssl) return std::unexpected(ssl.error());
  auto key = raw_key(**ssl, EVP_PKEY_X25519, private_key, true);
  if (!key) return std::unexpected(key.error());
  auto peer = raw_key(**ssl, EVP_PKEY_X25519, peer_public_key, false);
  if (!peer) return std::unexpected(peer.error());
  Owned<EVP_PKEY_CTX> context((*ssl)->EVP_PKEY_CTX_new(key->get(), nullptr), (*ssl)->EVP_PKEY_CTX_free);
  std::string out(kRawKey, '\0');
  size_t size = out.size();
  bool is_done = (*ssl)->EVP_PKEY_derive_init(context.get()) == 1 &&
                 (*ssl)->EVP_PKEY_derive_set_peer(context.get(), peer->get()) == 1 &&
                 (*ssl)->EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size) == 1;
  (*ssl)->ERR_clear_error();
  if (!is_done) return std::unexpected(std::string("the other key is one that nobody should use"));
  return out;
}

}  // namespace harn::crypto
