#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/dynamic_library.h"
#include "base/fmt.h"

namespace harn::net {

namespace {

#define HARN_SSL_FUNCTIONS(X)           \
  X(TLS_method)                         \
  X(SSL_CTX_new)                        \
  X(SSL_CTX_free)                       \
  X(SSL_CTX_ctrl)                       \
  X(SSL_CTX_set_options)                \
  X(SSL_CTX_set_default_verify_paths)   \
  X(SSL_CTX_load_verify_file)           \
  X(SSL_CTX_use_certificate_chain_file) \
  X(SSL_CTX_use_PrivateKey_file)        \
  X(SSL_CTX_set_verify)                 \
  X(SSL_new)                            \
  X(SSL_free)                           \
  X(SSL_ctrl)                           \
  X(SSL_set1_host)                      \
  X(SSL_get0_param)                     \
  X(SSL_set_bio)                        \
  X(SSL_set_connect_state)              \
  X(SSL_set_accept_state)               \
  X(SSL_do_handshake)                   \
  X(SSL_read_ex)                        \
  X(SSL_write_ex)                       \
  X(SSL_shutdown)                       \
  X(SSL_get_error)                      \
  X(SSL_get_verify_result)

#define HARN_CRYPTO_FUNCTIONS(X)   \
  X(BIO_new)                       \
  X(BIO_s_mem)                     \
  X(BIO_read)                      \
  X(BIO_write)                     \
  X(BIO_ctrl_pending)              \
  X(X509_VERIFY_PARAM_set1_ip_asc) \
  X(X509_verify_cert_error_string) \
  X(ERR_get_error)                 \
  X(ERR_clear_error)               \
  X(ERR_reason_error_string)

struct Ssl {
#define HARN_SSL_MEMBER(name) decltype(&::name) name;
  HARN_SSL_FUNCTIONS(HARN_SSL_MEMBER)
  HARN_CRYPTO_FUNCTIONS(HARN_SSL_MEMBER)
#undef HARN_SSL_MEMBER
  std::string why;

  static const Ssl& get() {
    static const Ssl loaded = load();
    return loaded;
  }

 private:
  static Ssl load() {
    Ssl ssl{};
    DynamicLibrary library("libssl.so.3"), crypto("libcrypto.so.3");
#define HARN_SSL_FIND(name) library.find(ssl.name, #name);
    HARN_SSL_FUNCTIONS(HARN_SSL_FIND)
#undef HARN_SSL_FIND
#define HARN_SSL_FIND(name) crypto.find(ssl.name, #name);
    HARN_CRYPTO_FUNCTIONS(HARN_SSL_FIND)
#undef HARN_SSL_FIND
    ssl.why = library.is_complete() ? crypto.why() : library.why();
    return ssl;
  }
};

using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

bool is_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Empty: it has them.
std::string set_own_certificate(const Ssl& ssl, SSL_CTX* context, const HttpTls& options) {
  if (options.cert_file.empty()) return "";
  if (ssl.SSL_CTX_use_certificate_chain_file(context, options.cert_file.c_str()) != 1)
    return fmt::format("the certificate in `{}` cannot be read", options.cert_file);
  const std::string& key = options.key_file.empty() ? options.cert_file : options.key_file;
  if (ssl.SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return fmt::format("the private key in `{}` cannot be read, or is not that of the certificate", key);
  return "";
}

std::string set_trust(const Ssl& ssl, SSL_CTX* context, const HttpTls& options) {
  if (!options.verify) return "";
  ssl.SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (options.ca_file.empty()) ssl.SSL_CTX_set_default_verify_paths(context);
  else if (ssl.SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1)
    return fmt::format("the certificates in `{}` cannot be read", options.ca_file);
  return "";
}

}  // namespace

struct TlsSession::Impl {
  const Ssl& ssl;
  SSL* session;
  BIO* input;  // both belong to the session
  BIO* output;
  bool verifies;
};

TlsSession::TlsSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsSession::~TlsSession() { impl_->ssl.SSL_free(impl_->session); }

std::expected<std::unique_ptr<TlsSession>, std::string> TlsSession::client(const HttpTls& options,
                                                                           const std::string& host) {
  return create(options, &host);
}

std::expected<std::unique_ptr<TlsSession>, std::string> TlsSession::server(const HttpTls& options) {
  return create(options, nullptr);
}

std::expected<std::unique_ptr<TlsSession>, std::string> TlsSession::create(const HttpTls& options,
                                                                           const std::string* host) {
  const Ssl& ssl = Ssl::get();
  if (!ssl.why.empty()) return std::unexpected(fmt::format("TLS is not available: {}", ssl.why));
  ssl.ERR_clear_error();
  Context context(ssl.SSL_CTX_new(ssl.TLS_method()), ssl.SSL_CTX_free);
  ssl.SSL_CTX_ctrl(context.get(), SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr);
  ssl.SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  if (auto why = set_own_certificate(ssl, context.get(), options); !why.empty()) return std::unexpected(why);
  if (host) {
    if (auto why = set_trust(ssl, context.get(), options); !why.empty()) return std::unexpected(why);
  }
  SSL* session = ssl.SSL_new(context.get());
  auto impl = std::make_unique<Impl>(
      Impl{ssl, session, ssl.BIO_new(ssl.BIO_s_mem()), ssl.BIO_new(ssl.BIO_s_mem()), host && options.verify});
  ssl.SSL_set_bio(session, impl->input, impl->output);
  if (!host) {
    ssl.SSL_set_accept_state(session);
  } else {
    ssl.SSL_set_connect_state(session);
    if (is_address(*host)) {
      ssl.X509_VERIFY_PARAM_set1_ip_asc(ssl.SSL_get0_param(session), host->c_str());
    } else {
      ssl.SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host->c_str()));
      ssl.SSL_set1_host(session, host->c_str());
    }
  }
  return std::unique_ptr<TlsSession>(new TlsSession(std::move(impl)));
}

TlsSession::Step TlsSession::step_of(int result) {
  if (result == 1) return Step::Done;
  const Ssl& ssl = impl_->ssl;
  switch (ssl.SSL_get_error(impl_->session, result)) {
    case SSL_ERROR_WANT_READ: return Step::NeedsInput;
    case SSL_ERROR_ZERO_RETURN: return Step::End;
    default: break;
  }
  long trust = impl_->verifies ? ssl.SSL_get_verify_result(impl_->session) : X509_V_OK;
  const char* reason =
      trust == X509_V_OK ? ssl.ERR_reason_error_string(ssl.ERR_get_error()) : ssl.X509_verify_cert_error_string(trust);
  why_ = reason ? reason : "the other side does not speak TLS";
  ssl.ERR_clear_error();
  return Step::Failed;
}

TlsSession::Step TlsSession::handshake() { return step_of(impl_->ssl.SSL_do_handshake(impl_->session)); }

TlsSession::Step TlsSession::read(void* to, size_t most, size_t& got) {
  got = 0;
  return step_of(impl_->ssl.SSL_read_ex(impl_->session, to, most, &got));
}

TlsSession::Step TlsSession::write(std::string_view bytes) {
  if (bytes.empty()) return Step::Done;
  size_t written = 0;  // all of it: the output has no bound
  return step_of(impl_->ssl.SSL_write_ex(impl_->session, bytes.data(), bytes.size(), &written));
}

void TlsSession::end() {
  impl_->ssl.SSL_shutdown(impl_->session);
  impl_->ssl.ERR_clear_error();
}

void TlsSession::feed(std::string_view bytes) {
  impl_->ssl.BIO_write(impl_->input, bytes.data(), static_cast<int>(bytes.size()));
}

std::string TlsSession::take_output() {
  std::string output(impl_->ssl.BIO_ctrl_pending(impl_->output), '\0');
  if (!output.empty()) impl_->ssl.BIO_read(impl_->output, output.data(), static_cast<int>(output.size()));
  return output;
}

}  // namespace harn::net
