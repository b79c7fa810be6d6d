#pragma once

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <mutex>

#include "net/socket_stream.h"
#include "net/websocket.h"

// Inside src/net: what is behind a WebSocket. Held by whoever uses it and by the operations that are under way.
namespace harn::net {

// What Beast makes of the limits; before the handshake.
using WebSocketStream = boost::beast::websocket::stream<SocketStream>;
void set_options(WebSocketStream& stream, const WebSocketLimits& limits);

class WebSocketSession : public std::enable_shared_from_this<WebSocketSession> {
 public:
  WebSocketSession(WebSocketLimits limits, std::function<void()> changed);
  ~WebSocketSession();

  // ---- any thread; see WebSocket ----
  void on_change(std::function<void()> changed);
  std::optional<WebSocketHead> head();
  WebSocket::Received receive();
  WebSocket::Sent send(WebSocketMessage message);
  void close(int code, std::string reason);
  void abandon();
  bool is_over();

  // ---- the I/O thread ----
  // The connection is open: reads and writes from now on.
  void begin(std::unique_ptr<WebSocketStream> stream, WebSocketHead head);
  // There is none.
  void fail(WebSocketHead head);
  // How to call off what comes before `begin`.
  void set_give_up(std::move_only_function<void()> give_up) { give_up_ = std::move(give_up); }
  bool is_abandoned();

 private:
  using Error = boost::system::error_code;

  void read_next();
  void was_read(Error error);
  void write_next();
  void was_written(Error error);
  void start_close(const WebSocketMessage& message);
  void both_close();
  void ended(Error error);
  WebSocketMessage last_message(Error error) const;
  void push(WebSocketMessage message);
  bool has_room() const;  // with the lock
  void changed();

  const WebSocketLimits limits_;

  // On the I/O thread only.
  std::unique_ptr<WebSocketStream> stream_;
  boost::beast::flat_buffer buffer_;
  std::move_only_function<void()> give_up_;
  WebSocketMessage current_;  // being written
  boost::beast::websocket::ping_data control_;
  bool is_writing_ = false;
  bool is_closing_ = false;

  std::mutex lock_;  // guards the rest
  std::function<void()> changed_;
  std::optional<WebSocketHead> head_;
  std::deque<WebSocketMessage> received_;
  size_t received_bytes_ = 0;
  bool is_paused_ = false;  // nobody receives
  std::deque<WebSocketMessage> outgoing_;
  size_t outgoing_bytes_ = 0;
  bool takes_more_ = true;
  bool is_over_ = false;
  bool is_abandoned_ = false;
};

}  // namespace harn::net
