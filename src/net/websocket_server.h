#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/websocket.h"

namespace harn::net {

struct WebSocketBind {
  std::string address = "127.0.0.1";  // numeric
  int port = 0;                       // 0: any that is free
  HttpTls tls;                        // with a cert_file: wss
  WebSocketLimits limits;
  int64_t handshake_timeout_ms = 10'000;
};

struct WebSocketRoute {
  std::string path;
  std::vector<std::string> protocols;  // that it speaks; the first one that a client offers is agreed on
  std::vector<std::string> origins;    // of pages that may connect; none: all
  std::string authorization;           // that the header must say; empty: nothing
};

struct AcceptedWebSocket {
  std::shared_ptr<WebSocket> socket;
  std::string path, query, peer, protocol;
  std::vector<HttpHeader> headers;  // names in lower case
};

// Takes connections for its routes; other paths are answered with 404. Any thread may call it, nothing blocks, `changed` as
// for a WebSocket. Those who have connected and were not accepted yet are few: further ones wait in the system's line.
class WebSocketServer {
 public:
  // Or why it cannot be.
  static std::expected<std::shared_ptr<WebSocketServer>, std::string> listen(WebSocketBind bind,
                                                                             std::function<void()> changed);
  // Stops listening. Connections that were accepted stay.
  ~WebSocketServer();
  WebSocketServer(const WebSocketServer&) = delete;

  const std::string& address() const { return address_; }
  int port() const { return port_; }

  // In the place of one with the same path.
  void add_route(WebSocketRoute route);
  // Nothing: nobody yet.
  std::optional<AcceptedWebSocket> accept();

 private:
  class Listener;
  WebSocketServer() = default;

  std::shared_ptr<Listener> listener_;
  std::string address_;
  int port_ = 0;
};

}  // namespace harn::net
