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

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // http or https
  std::vector<HttpHeader> headers;
  std::string body;
  std::string proxy;       // empty: as the environment says (http_proxy, ...)
  std::string proxy_user;  // "user:password"
  int64_t timeout_ms = 30'000;
  int64_t connect_timeout_ms = 0;  // 0: what is left of timeout_ms
  int64_t read_timeout_ms = 0;     // without a byte; in whole seconds; 0: none
  int64_t max_body = int64_t{64} << 20;
  bool decompress = true;
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
