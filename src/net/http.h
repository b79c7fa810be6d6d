#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// HTTP requests over one shared pool of connections on the I/O thread.
namespace harn::net {

struct HttpHeader {
  std::string name;
  std::string value;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(name), visit(value);
  }
};

// Whom to trust, and who we are. Files are read by the TLS library.
struct HttpTls {
  bool verify = true;     // the server's certificate and name
  std::string ca_file;    // certificates to trust instead of the system's
  std::string cert_file;  // our own, with its key
  std::string key_file;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(verify), visit(ca_file), visit(cert_file), visit(key_file);
  }
};

// Why no connection may be made to a numeric address and port; empty: it may. Called on the I/O thread.
using AddressCheck = std::function<std::string(const std::string& address, int port)>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // http or https
  std::vector<HttpHeader> headers;
  std::string body;
  std::string proxy;       // empty: as the environment says (http_proxy, ...)
  std::string proxy_user;  // "user:password"
  HttpTls tls;
  int64_t timeout_ms = 30'000;
  int64_t connect_timeout_ms = 0;  // 0: what is left of timeout_ms
  int64_t read_timeout_ms = 0;     // without a byte; in whole seconds; 0: none
  int64_t max_body = int64_t{64} << 20;
  bool decompress = true;
  AddressCheck check_address;  // asked before each connection, and before one is used again; null: all are fine
};

// Why there is no answer.
enum class HttpFailure : uint8_t {
  None,
  Address,  // the URL makes no sense, or its host is unknown
  Connect,  // nobody there
  Tls,      // not the one we wanted to talk to
  Timeout,
  Cut,       // the connection ended in the middle
  TooLarge,  // more than max_body
  Cancelled,
  Unavailable,  // no libcurl
  Blocked,      // check_address says no
};

struct HttpResponse {
  HttpFailure failure = HttpFailure::None;
  std::string message;  // of the failure; holds no secret
  int status = 0;
  std::vector<HttpHeader> headers;  // names in lower case, each once
  std::string body;
  std::string redirect_to;  // where a 3xx answer points, as an absolute URL; redirects are not followed
};

struct RequestId {
  uint64_t number = 0;
};

// `done` is called once, on the I/O thread, also after a cancellation.
RequestId start_request(HttpRequest request, std::function<void(HttpResponse)> done);
// Ends the request with HttpFailure::Cancelled. Fine when it has ended.
void cancel_request(RequestId id);

}  // namespace harn::net
