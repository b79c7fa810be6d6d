#include "net/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "net/asio_loop.h"
#include "net/loop.h"

namespace harn::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

constexpr size_t kMostHeadBytes = 64 * 1024;
constexpr size_t kMostBodyBytes = 64 << 20;

class Connection;

std::string reason_of(int status) {
  auto known = http::obsolete_reason(static_cast<http::status>(status));
  return std::string(known.data(), known.size());
}

}  // namespace

class HttpServer::Listener : public std::enable_shared_from_this<Listener> {
 public:
  explicit Listener(Answer answer) : answer(std::move(answer)), acceptor_(io_context()), pause_(io_context()) {}

  Error open(const tcp::endpoint& place) {
    Error error;
    acceptor_.open(place.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(place, error);
    if (!error) acceptor_.listen(4096, error);
    return error;
  }
  int port() const { return acceptor_.local_endpoint().port(); }

  // ---- the I/O thread ----
  void next();
  void close();
  void forget(Connection* connection) { connections.erase(connection); }

  const Answer answer;
  std::set<Connection*> connections;

 private:
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  bool is_closed_ = false;
};

namespace {

// One connection: a request, its answer, the next request.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Listener = std::function<void(Connection*)>;

  Connection(tcp::socket socket, const HttpServer::Answer& answer, Listener left)
      : socket_(std::move(socket)), timer_(io_context()), answer_(answer), left_(std::move(left)) {}
  ~Connection() { left_(this); }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeadBytes);
    parser_->body_limit(kMostBodyBytes);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, size_t) {
      if (!error) self->reply();
    });
  }

  void close() {
    Error ignored;
    timer_.cancel();
    socket_.close(ignored);
  }

 private:
  void reply() {
    http::request<http::string_body> request = parser_->release();
    keeps_ = request.keep_alive();
    ServedRequest served{.method = std::string(request.method_string()), .target = std::string(request.target())};
    for (const auto& field : request) {
      std::string_view name(field.name_string().data(), field.name_string().size());
      served.headers.push_back({text::ascii_lower(name), std::string(field.value())});
    }
    served.body = std::move(request.body());
    current_ = answer_(served);
    next_ = 0;
    has_head_ = false;
    send_next();
  }

  std::string head() const {
    std::string out = fmt::format("HTTP/1.1 {} {}\r\n", current_.status, reason_of(current_.status));
    for (const HttpHeader& header : current_.headers) out += fmt::format("{}: {}\r\n", header.name, header.value);
    if (current_.streams) {
      out += "transfer-encoding: chunked\r\n";
    } else {
      size_t size = 0;
      for (const ServedPiece& piece : current_.pieces) size += piece.bytes.size();
      // Who is cut off in the middle was promised more.
      out += fmt::format("content-length: {}\r\n", size + (current_.is_cut ? 1 : 0));
    }
    if (!keeps_) out += "connection: close\r\n";
    return out + "\r\n";
  }

  void send_next() {
    if (next_ == current_.pieces.size()) return end();
    int64_t delay = current_.pieces[next_].delay_ms;
    if (delay <= 0) return send_piece();
    timer_.expires_after(std::chrono::milliseconds(delay));
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->send_piece();
    });
  }

  void send_piece() {
    const std::string& bytes = current_.pieces[next_++].bytes;
    std::string out = std::exchange(has_head_, true) ? "" : head();
    out += current_.streams ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : bytes;
    if (next_ == current_.pieces.size() && current_.streams && !current_.is_cut) out += "0\r\n\r\n";
    write(std::move(out), [](Connection& self) { self.send_next(); });
  }

  void end() {
    if (current_.is_cut) return close();
    // Nothing was sent yet: an answer without a body.
    if (!has_head_) {
      has_head_ = true;
      return write(head() + (current_.streams ? "0\r\n\r\n" : ""), [](Connection& self) { self.end(); });
    }
    keeps_ ? read() : close();
  }

  void write(std::string bytes, void (*then)(Connection& self)) {
    out_ = std::move(bytes);
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this(), then](Error error, size_t) {
      if (!error) then(*self);
    });
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  const HttpServer::Answer& answer_;  // the listener's, which `left_` holds
  const Listener left_;
  beast::flat_buffer buffer_{2 * kMostHeadBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  ServedAnswer current_;
  size_t next_ = 0;
  bool has_head_ = false;
  bool keeps_ = false;
  std::string out_;
};

}  // namespace

void HttpServer::Listener::next() {
  acceptor_.async_accept([self = shared_from_this()](Error error, tcp::socket socket) {
    if (self->is_closed_) return;
    if (error) {
      // The system has no room for a connection; it may have soon.
      self->pause_.expires_after(std::chrono::milliseconds(50));
      self->pause_.async_wait([self](Error) { self->next(); });
      return;
    }
    Error ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto connection =
        std::make_shared<Connection>(std::move(socket), self->answer, [self](Connection* one) { self->forget(one); });
    self->connections.insert(connection.get());
    connection->read();
    self->next();
  });
}

void HttpServer::Listener::close() {
  is_closed_ = true;
  Error ignored;
  acceptor_.close(ignored);
  // Each leaves the set once its last operation has ended.
  for (Connection* connection : std::set(connections)) connection->close();
}

std::expected<std::shared_ptr<HttpServer>, std::string> HttpServer::listen(const std::string& address, int port,
                                                                           Answer answer) {
  Error error;
  auto place = asio::ip::make_address(address, error);
  if (error) return std::unexpected(fmt::format("`{}` is no address", address));
  auto listener = std::make_shared<Listener>(std::move(answer));
  error = listener->open({place, static_cast<uint16_t>(port)});
  if (error) return std::unexpected(error.message());
  std::shared_ptr<HttpServer> server(new HttpServer);
  server->port_ = listener->port();
  server->listener_ = std::move(listener);
  post([listener = server->listener_] { listener->next(); });
  return server;
}

HttpServer::~HttpServer() {
  if (listener_) post([listener = listener_] { listener->close(); });
}

}  // namespace harn::net
