#include "crypto/cipher.h"

#include "crypto/openssl.h"

namespace harn::crypto {

namespace {

constexpr size_t kTagBytes = 16;
constexpr size_t kMaxBytes = size_t{1} << 30;  // OpenSSL counts with an int

const unsigned char* octets(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
int size_of(std::string_view bytes) { return static_cast<int>(bytes.size()); }

std::unexpected<std::string> failed(std::string why) { return std::unexpected(std::move(why)); }

Owned<EVP_CIPHER_CTX> new_context(const OpenSsl& ssl) { return {ssl.EVP_CIPHER_CTX_new(), ssl.EVP_CIPHER_CTX_free}; }

}  // namespace

std::expected<std::string, std::string> seal(std::string_view key, std::string_view nonce, std::string_view text,
                                             std::string_view purpose) {
  auto loaded = OpenSsl::load();
  if (!loaded) return failed(loaded.error());
  if (text.size() > kMaxBytes) return failed("the text is larger than 1 GiB");
  const OpenSsl& ssl = **loaded;
  auto context = new_context(ssl);
  std::string out(text.size() + kTagBytes, '\0');
  int size = 0;
  bool is_done = context &&
                 ssl.EVP_EncryptInit_ex(context.get(), ssl.EVP_aes_256_gcm(), nullptr, octets(key), octets(nonce)) &&
                 ssl.EVP_EncryptUpdate(context.get(), nullptr, &size, octets(purpose), size_of(purpose)) &&
                 ssl.EVP_EncryptUpdate(context.get(), octets(out), &size, octets(text), size_of(text)) &&
                 ssl.EVP_EncryptFinal_ex(context.get(), octets(out) + text.size(), &size) &&
                 ssl.EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, octets(out) + text.size());
  ssl.ERR_clear_error();
  if (!is_done) return failed("OpenSSL could not encrypt it");
  return out;
}

std::expected<std::optional<std::string>, std::string> open(std::string_view key, std::string_view nonce,
                                                            std::string_view sealed, std::string_view purpose) {
  auto loaded = OpenSsl::load();
  if (!loaded) return failed(loaded.error());
  if (sealed.size() < kTagBytes || sealed.size() > kMaxBytes) return std::nullopt;
  const OpenSsl& ssl = **loaded;
  auto context = new_context(ssl);
  std::string_view body = sealed.substr(0, sealed.size() - kTagBytes);
  std::string tag(sealed.substr(body.size()));
  std::string out(body.size() + kTagBytes, '\0');
  int size = 0;
  bool is_true = context &&
                 ssl.EVP_DecryptInit_ex(context.get(), ssl.EVP_aes_256_gcm(), nullptr, octets(key), octets(nonce)) &&
                 ssl.EVP_DecryptUpdate(context.get(), nullptr, &size, octets(purpose), size_of(purpose)) &&
                 ssl.EVP_DecryptUpdate(context.get(), octets(out), &size, octets(body), size_of(body)) &&
                 ssl.EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, octets(tag)) &&
                 ssl.EVP_DecryptFinal_ex(context.get(), octets(out) + body.size(), &size);
  ssl.ERR_clear_error();
  if (!is_true) return std::nullopt;
  out.resize(body.size());
  return out;
}

}  // namespace harn::crypto
