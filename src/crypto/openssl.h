#pragma once

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <expected>
#include <memory>
#include <string>

// Inside src/crypto only: libcrypto, loaded by its first user, on any thread.
namespace harn::crypto {

#define HARN_OPENSSL_FUNCTIONS(X) \
  X(EVP_get_digestbyname)         \
  X(EVP_MD_CTX_new)               \
  X(EVP_MD_CTX_free)              \
  X(EVP_DigestInit_ex)            \
  X(EVP_DigestUpdate)             \
  X(EVP_DigestFinal_ex)           \
  X(HMAC)                         \
  X(EVP_aes_256_gcm)              \
  X(EVP_CIPHER_CTX_new)           \
  X(EVP_CIPHER_CTX_free)          \
  X(EVP_CIPHER_CTX_ctrl)          \
  X(EVP_EncryptInit_ex)           \
  X(EVP_EncryptUpdate)            \
  X(EVP_EncryptFinal_ex)          \
  X(EVP_DecryptInit_ex)           \
  X(EVP_DecryptUpdate)            \
  X(EVP_DecryptFinal_ex)          \
  X(BIO_new_mem_buf)              \
  X(BIO_free)                     \
  X(PEM_read_bio_PrivateKey)      \
  X(PEM_read_bio_PUBKEY)          \
  X(EVP_PKEY_free)                \
  X(EVP_PKEY_get_base_id)         \
  X(EVP_PKEY_get_group_name)      \
  X(EVP_PKEY_get_bits)            \
  X(EVP_PKEY_new_raw_private_key) \
  X(EVP_PKEY_new_raw_public_key)  \
  X(EVP_PKEY_get_raw_public_key)  \
  X(EVP_PKEY_CTX_new)             \
  X(EVP_PKEY_CTX_free)            \
  X(EVP_PKEY_derive_init)         \
  X(EVP_PKEY_derive_set_peer)     \
  X(EVP_PKEY_derive)              \
  X(EVP_DigestSignInit)           \
  X(EVP_DigestSign)               \
  X(EVP_DigestVerifyInit)         \
  X(EVP_DigestVerify)             \
  X(ECDSA_SIG_new)                \
  X(ECDSA_SIG_free)               \
  X(ECDSA_SIG_set0)               \
  X(ECDSA_SIG_get0)               \
  X(d2i_ECDSA_SIG)                \
  X(i2d_ECDSA_SIG)                \
  X(BN_bin2bn)                    \
  X(BN_bn2binpad)                 \
  X(ERR_clear_error)

struct OpenSsl {
#define HARN_OPENSSL_MEMBER(name) decltype(&::name) name;
  HARN_OPENSSL_FUNCTIONS(HARN_OPENSSL_MEMBER)
#undef HARN_OPENSSL_MEMBER

  // Or why it is not there.
  static std::expected<const OpenSsl*, std::string> load();
};

// What it makes, freed by its own functions.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace harn::crypto
