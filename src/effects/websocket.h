#pragma once

#include "effects/http.h"
#include "net/websocket.h"
#include "net/websocket_server.h"

// WebSockets: each message is an effect of its own, and so is each connection. Connections and servers are numbers; what is
// behind them is the VM's until it is closed, or the VM ends.
namespace harn::effects {

using net::kMostControlBytes;
using net::WebSocketKind;
using net::WebSocketLimits;
using net::WebSocketMessage;
using WebSocketSent = net::WebSocket::Sent;

struct OpenWebSocket : net::WebSocketRequest {
  struct Answer : net::WebSocketHead {
    uint64_t socket = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      net::WebSocketHead::fields(visit), visit(socket);
    }
  };
  static constexpr EffectRow row{.name = "websocket.open", .capability = vm::Capability::Network};

  std::string shown() const;
  std::vector<EgressTarget> targets() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(url), visit(headers), visit(protocols), visit(proxy), visit(proxy_user), visit(tls), visit(limits);
  }
};
vm::Outcome<OpenWebSocket::Answer> carry_out(Run& run, const OpenWebSocket& request);
std::unexpected<vm::Thrown> egress_blocked(const OpenWebSocket& request, std::string_view reason);

// Waits for the next message. A task that is stopped meanwhile has taken none.
struct ReceiveWebSocket {
  struct Answer {
    bool is_end = false;   // after the close, or there is no such connection
    bool is_late = false;  // nothing came in time
    WebSocketMessage message;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_end), visit(is_late), visit(message);
    }
  };
  static constexpr EffectRow row{.name = "websocket.receive", .capability = vm::Capability::Network};

  uint64_t socket = 0;
  int64_t timeout_ms = 0;

  std::string shown() const { return fmt::format("socket {}", socket); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(socket), visit(timeout_ms);
  }
};
vm::Outcome<ReceiveWebSocket::Answer> carry_out(Run& run, const ReceiveWebSocket& request);

struct SendWebSocket {
  struct Answer {
    WebSocketSent sent = WebSocketSent::Over;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(sent);
    }
  };
  static constexpr EffectRow row{.name = "websocket.send", .capability = vm::Capability::Network};

  uint64_t socket = 0;
  WebSocketMessage message;

  std::string shown() const { return fmt::format("socket {}", socket); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(socket), visit(message);
  }
};
vm::Outcome<SendWebSocket::Answer> carry_out(Run& run, const SendWebSocket& request);

// Sends what is to be sent, says that nothing follows, and waits a little for the other side to say so, too. False: no such
// connection.
struct CloseWebSocket {
  using Answer = bool;
  static constexpr EffectRow row{.name = "websocket.close", .capability = vm::Capability::Network};

  uint64_t socket = 0;
  int64_t code = 1000;
  std::string reason;

  std::string shown() const { return fmt::format("socket {}", socket); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(socket), visit(code), visit(reason);
  }
};
vm::Outcome<bool> carry_out(Run& run, const CloseWebSocket& request);

// ---- servers ----

struct ListenWebSocket : net::WebSocketBind {
  struct Answer {
    std::string failure;  // empty: it listens
    uint64_t server = 0;
    std::string address;
    int64_t port = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(failure), visit(server), visit(address), visit(port);
    }
  };
  static constexpr EffectRow row{.name = "websocket.listen", .capability = vm::Capability::Network};

  std::string shown() const { return fmt::format("{}:{}", address, port); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(address), visit(port), visit(tls), visit(limits), visit(handshake_timeout_ms);
  }
};
vm::Outcome<ListenWebSocket::Answer> carry_out(Run& run, const ListenWebSocket& request);

struct RouteWebSocket : net::WebSocketRoute {
  using Answer = bool;  // false: no such server
  static constexpr EffectRow row{.name = "websocket.route", .capability = vm::Capability::Network};

  uint64_t server = 0;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(server), visit(path), visit(protocols), visit(origins), visit(authorization);
  }
};
vm::Outcome<bool> carry_out(Run& run, const RouteWebSocket& request);

struct AcceptWebSocket {
  struct Answer {
    bool is_over = false;  // the server is closed
    bool is_late = false;
    uint64_t socket = 0;
    std::string path, query, peer, protocol;
    std::vector<HttpHeader> headers;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_over), visit(is_late), visit(socket), visit(path), visit(query), visit(peer), visit(protocol);
      visit(headers);
    }
  };
  static constexpr EffectRow row{.name = "websocket.accept", .capability = vm::Capability::Network};

  uint64_t server = 0;
  int64_t timeout_ms = 0;

  std::string shown() const { return fmt::format("server {}", server); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(server), visit(timeout_ms);
  }
};
vm::Outcome<AcceptWebSocket::Answer> carry_out(Run& run, const AcceptWebSocket& request);

struct StopWebSocketServer {
  using Answer = bool;  // false: no such server
  static constexpr EffectRow row{.name = "websocket.stop", .capability = vm::Capability::Network};

  uint64_t server = 0;

  std::string shown() const { return fmt::format("server {}", server); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(server);
  }
};
vm::Outcome<bool> carry_out(Run& run, const StopWebSocketServer& request);

}  // namespace harn::effects
