#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http.h"

// WebSockets (RFC 6455), both ends of them. The protocol runs on the I/O thread; any thread may call what is here. Nothing
// blocks: what cannot be done yet says so, and `changed` is called, on the I/O thread and without a lock, when it is
// worth to ask again. It may be called once more after the end of the object, so what it uses is held by it.
//
// Memory is bounded both ways: a message is taken to be sent only while there is room, and when nobody receives, the
// connection is left alone and the other side has to wait.
namespace harn::net {

struct WebSocketLimits {
  int64_t max_message_bytes = int64_t{16} << 20;  // of one that is received
  int64_t send_buffer_bytes = int64_t{4} << 20;   // what waits to be sent; one message may be larger
  int64_t send_buffer_messages = 1024;
  int64_t idle_timeout_ms = 0;  // without a sign of life, for which the other side is asked; 0: no limit
  bool compress = false;        // offer permessage-deflate, and agree to it
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(max_message_bytes), visit(send_buffer_bytes), visit(send_buffer_messages), visit(idle_timeout_ms);
    visit(compress);
  }
};

struct WebSocketRequest {
  std::string url;  // ws or wss
  std::vector<HttpHeader> headers;
  std::vector<std::string> protocols;
  std::string proxy;       // "http://host:port"; empty: none
  std::string proxy_user;  // "user:password"
  HttpTls tls;
  WebSocketLimits limits;
  int64_t timeout_ms = 30'000;  // until the connection is open
  AddressCheck check_address;   // asked before a connection is made; null: all are fine
};

// How a connection began, or why it did not.
struct WebSocketHead {
  HttpFailure failure = HttpFailure::None;
  std::string message;  // of the failure; holds no secret
  int status = 0;       // of an answer that was no agreement
  std::string protocol;
  std::vector<HttpHeader> headers;  // of the answer; names in lower case
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(failure), visit(message), visit(status), visit(protocol), visit(headers);
  }
};

enum class WebSocketKind : uint8_t { Text, Binary, Ping, Pong, Close };

struct WebSocketMessage {
  WebSocketKind kind = WebSocketKind::Text;
  std::string data;       // Close: the reason
  int code = 0;           // Close
  bool is_clean = false;  // Close: the other side has said it
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(kind), visit(data), visit(code), visit(is_clean);
  }
};

constexpr size_t kMostControlBytes = 125;  // of a ping or pong; a reason has two less

class WebSocketSession;  // net/websocket_session.h

class WebSocket {
 public:
  static std::shared_ptr<WebSocket> connect(WebSocketRequest request, std::function<void()> changed);

  explicit WebSocket(std::shared_ptr<WebSocketSession> session);
  // Gives the connection up: the other side is told, nobody waits for its answer.
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;

  // For one that was accepted.
  void on_change(std::function<void()> changed);

  // Nothing: not yet.
  std::optional<WebSocketHead> head();

  enum class State : uint8_t { Some, Later, End };
  struct Received {
    State state = State::Later;
    WebSocketMessage message;
  };
  // What came, in order; the last one is a Close, however the connection ended.
  Received receive();

  enum class Sent : uint8_t { Taken, Full, Over };
  Sent send(WebSocketMessage message);

  // Sends what is to be sent, and then says so; `is_over` when the other side has, too, or takes too long.
  void close(int code, std::string reason);
  bool is_over();

 private:
  std::shared_ptr<WebSocketSession> session_;
};

// At the end of a process: what is to be sent is, and all connections are closed, as far as that is possible in this time.
void finish_websockets(int64_t most_ms);

}  // namespace harn::net
