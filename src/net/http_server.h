#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/http.h"

// A small HTTP/1.1 server for answers that are known when the request is: whole, or in pieces with pauses between them.
namespace harn::net {

struct ServedRequest {
  std::string method;
  std::string target;               // path and query
  std::vector<HttpHeader> headers;  // names in lower case
  std::string body;
};

struct ServedPiece {
  int64_t delay_ms = 0;  // before it is sent
  std::string bytes;
};

struct ServedAnswer {
  int status = 200;
  std::vector<HttpHeader> headers;  // without the length
  bool streams = false;             // sent piece by piece, without a length
  std::vector<ServedPiece> pieces;
  bool is_cut = false;  // the connection ends behind the last piece, as when a server dies
};

// Takes connections until it is destroyed. `answer` is called on the I/O thread, one request at a time; it must not block.
class HttpServer {
 public:
  using Answer = std::function<ServedAnswer(const ServedRequest& request)>;

  // Port 0: any that is free. Or why it cannot be.
  static std::expected<std::shared_ptr<HttpServer>, std::string> listen(const std::string& address, int port,
                                                                        Answer answer);
  // Stops listening, and ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  class Listener;
  HttpServer() = default;

  std::shared_ptr<Listener> listener_;
  int port_ = 0;
};

}  // namespace harn::net
