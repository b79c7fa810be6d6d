#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "net/tls.h"

// A connection for Beast, with or without TLS. Inside src/net, on the I/O thread. Its state is shared with the operations
// that are under way, so it may be destroyed at any time.
namespace harn::net {

class SocketStream {
 public:
  using executor_type = boost::asio::io_context::executor_type;
  using Error = boost::system::error_code;
  using Done = std::move_only_function<void(Error)>;
  using Moved = std::move_only_function<void(Error, size_t)>;

  explicit SocketStream(boost::asio::ip::tcp::socket socket) : state_(std::make_shared<State>(std::move(socket))) {}

  executor_type get_executor() { return state_->context.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return state_->socket; }

  // From now on. `done` is told when both sides have agreed; `why` then says more about a failure.
  void start_tls(std::unique_ptr<TlsSession> tls, Done done) {
    state_->tls = std::move(tls);
    state_->handshake(std::move(done));
  }
  std::string why() const { return state_->tls ? state_->tls->why() : ""; }

  // Ends what is under way with an error.
  void close() { state_->close(); }
  // Says that nothing follows, and waits a little for the other side to say so, too: what was sent arrives.
  void end(Done done) { state_->end(std::move(done)); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, size_t)>(
        [state = state_](auto handler, const Buffers& to) {
          if (!state->tls) return state->socket.async_read_some(to, std::move(handler));
          state->read(first_of(to), std::move(handler));
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, size_t)>(
        [state = state_](auto handler, const Buffers& from) {
          if (!state->tls) return state->socket.async_write_some(from, std::move(handler));
          state->write(parts_of(from), std::move(handler));
        },
        token, buffers);
  }

 private:
  static constexpr size_t kMostAtOnce = 64 * 1024;

  struct State : std::enable_shared_from_this<State> {
    explicit State(boost::asio::ip::tcp::socket connected);

    void handshake(Done done);
    void read(boost::asio::mutable_buffer to, Moved done);
    void write(const std::vector<boost::asio::const_buffer>& parts, Moved done);
    void end(Done done);
    void close();

    // Sends what TLS has to say; one write at a time.
    void flush();
    void read_raw(Done done);
    void wait_for_end(Done done);
    void later(Moved done, Error error, size_t count);

    boost::asio::io_context& context;
    boost::asio::ip::tcp::socket socket;
    std::unique_ptr<TlsSession> tls;
    std::vector<char> raw;
    std::string sending;
    bool is_sending = false;
    Error send_error;
    std::vector<Done> sent;  // told when all is sent
  };

  template <class Buffers>
  static boost::asio::mutable_buffer first_of(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
      boost::asio::mutable_buffer buffer(*at);
      if (buffer.size() > 0) return buffer;
    }
    return {};
  }

  // TLS copies them: no more at once than a socket would take.
  template <class Buffers>
  static std::vector<boost::asio::const_buffer> parts_of(const Buffers& buffers) {
    std::vector<boost::asio::const_buffer> parts;
    size_t left = kMostAtOnce;
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
      parts.push_back(boost::asio::buffer(boost::asio::const_buffer(*at), left));
      left -= parts.back().size();
    }
    return parts;
  }

  std::shared_ptr<State> state_;
};

// What Beast looks for: the end of a connection, and its end by force.
void teardown(boost::beast::role_type role, SocketStream& stream, boost::system::error_code& error);
void beast_close_socket(SocketStream& stream);

template <class Handler>
void async_teardown(boost::beast::role_type, SocketStream& stream, Handler&& handler) {
  stream.end(
      [handler = std::forward<Handler>(handler)](SocketStream::Error error) mutable { std::move(handler)(error); });
}

}  // namespace harn::net
