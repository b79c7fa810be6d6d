#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "net/http.h"

// TLS between two buffers: whoever has the connection feeds what came in and sends what goes out. Inside src/net, on one
// thread at a time; nothing blocks. libssl is loaded by the first session.
//
//   auto tls = TlsSession::client(options, "example.com");
//   while (tls->handshake() == TlsSession::Step::NeedsInput) { send(tls->take_output()); tls->feed(receive()); }
namespace harn::net {

class TlsSession {
 public:
  // With the name or address that the other side's certificate must be for. Or why there is none.
  static std::expected<std::unique_ptr<TlsSession>, std::string> client(const HttpTls& options,
                                                                        const std::string& host);
  // With `cert_file` and `key_file`.
  static std::expected<std::unique_ptr<TlsSession>, std::string> server(const HttpTls& options);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;

  enum class Step : uint8_t { Done, NeedsInput, End, Failed };

  // After each step there may be output.
  Step handshake();
  // End: the other side says that nothing follows.
  Step read(void* to, size_t most, size_t& got);
  Step write(std::string_view bytes);
  // Tells the other side that nothing follows.
  void end();

  void feed(std::string_view bytes);
  std::string take_output();

  // Why the last step has failed.
  const std::string& why() const { return why_; }

 private:
  struct Impl;
  explicit TlsSession(std::unique_ptr<Impl> impl);
  static std::expected<std::unique_ptr<TlsSession>, std::string> create(const HttpTls& options,
                                                                        const std::string* host);
  Step step_of(int result);

  std::unique_ptr<Impl> impl_;
  std::string why_;
};

}  // namespace harn::net
