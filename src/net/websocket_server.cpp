#include "net/websocket_server.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <map>

#include "base/fmt.h"
#include "base/mutex.h"
#include "base/text.h"
#include "net/asio_loop.h"
#include "net/loop.h"
#include "net/websocket_session.h"

namespace harn::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

// Those who have connected and were not accepted yet.
constexpr size_t kMostWaiting = 64;
constexpr size_t kMostHeadBytes = 16 * 1024;
constexpr size_t kKeySize = 24;  // 16 bytes in base64

std::string shown(const tcp::endpoint& place) {
  std::string address = place.address().to_string();
  return place.address().is_v6() ? fmt::format("[{}]:{}", address, place.port())
                                 : fmt::format("{}:{}", address, place.port());
}

// As long as it takes for the longer one, so that the time tells nothing about a secret.
bool is_same_secret(std::string_view left, std::string_view right) {
  unsigned char differs = left.size() != right.size();
  for (size_t i = 0; i < left.size() && i < right.size(); ++i)
    differs |= static_cast<unsigned char>(left[i] ^ right[i]);
  return differs == 0;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    names.emplace_back(text::trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

}  // namespace

// What the server and its operations share.
class WebSocketServer::Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(WebSocketBind bind, std::function<void()> changed)
      : bind_(std::move(bind)), changed_(std::move(changed)), acceptor_(io_context()), pause_(io_context()) {}

  Error open(const tcp::endpoint& place) {
    Error error;
    acceptor_.open(place.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(place, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }
  tcp::endpoint place() const { return acceptor_.local_endpoint(); }

  // ---- any thread ----
  void add_route(WebSocketRoute route) {
    std::lock_guard guard(lock_);
    std::string path = route.path;
    routes_.insert_or_assign(std::move(path), std::move(route));
  }
  std::optional<WebSocketRoute> find_route(const std::string& path) {
    std::lock_guard guard(lock_);
    auto found = routes_.find(path);
    return found == routes_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<AcceptedWebSocket> accept() {
    std::lock_guard guard(lock_);
    if (waiting_.empty()) return std::nullopt;
    AcceptedWebSocket accepted = std::move(waiting_.front());
    waiting_.pop_front();
    post([self = shared_from_this()] { self->left(); });
    return accepted;
  }

  // ---- the I/O thread ----
  const WebSocketBind& bind() const { return bind_; }
  void next();
  // The system has no room for a connection; it may have soon.
  void next_soon() {
    pause_.expires_after(std::chrono::milliseconds(50));
    pause_.async_wait([self = shared_from_this()](Error) { self->next(); });
  }
  // One that has connected is accepted, or gone.
  void left() {
    --present_;
    next();
  }
  void joined(AcceptedWebSocket accepted) {
    if (is_closed_) return;
    {
      std::lock_guard guard(lock_);
      waiting_.push_back(std::move(accepted));
    }
    changed_();
  }
  void close() {
    is_closed_ = true;
    Error ignored;
    acceptor_.close(ignored);
    std::deque<AcceptedWebSocket> dropped;
    std::lock_guard guard(lock_);
    dropped.swap(waiting_);
  }

 private:
  const WebSocketBind bind_;
  const std::function<void()> changed_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  bool is_accepting_ = false;
  bool is_closed_ = false;
  size_t present_ = 0;

  Mutex lock_;  // guards the rest
  std::map<std::string, WebSocketRoute> routes_;
  std::deque<AcceptedWebSocket> waiting_;
};

namespace {

// The beginning of one connection.
template <class Listener>
class Greeting : public std::enable_shared_from_this<Greeting<Listener>> {
 public:
  Greeting(std::shared_ptr<Listener> listener, tcp::socket socket, std::string peer)
      : listener_(std::move(listener)), timer_(io_context()), stream_(std::move(socket)), peer_(std::move(peer)) {}

  void start() {
    timer_.expires_after(std::chrono::milliseconds(listener_->bind().handshake_timeout_ms));
    timer_.async_wait([self = this->shared_from_this()](Error error) {
      if (!error) self->give_up();
    });
    if (listener_->bind().tls.cert_file.empty()) return read_head();
    auto tls = TlsSession::server(listener_->bind().tls);
    if (!tls) return give_up();
    stream_.start_tls(*std::move(tls),
                      [self = this->shared_from_this()](Error error) { error ? self->give_up() : self->read_head(); });
  }

 private:
  void give_up() {
    if (std::exchange(is_over_, true)) return;
    timer_.cancel();
    if (websocket_) websocket_->next_layer().close();
    else stream_.close();
    listener_->left();
  }

  void read_head() {
    parser_.header_limit(kMostHeadBytes);
    http::async_read(stream_, buffer_, parser_, [self = this->shared_from_this()](Error error, size_t) {
      if (self->is_over_) return;
      error ? self->give_up() : self->look_at_head();
    });
  }

  std::string header(std::string_view name) const {
    return std::string(parser_.get()[beast::string_view(name.data(), name.size())]);
  }

  void look_at_head() {
    std::string target(parser_.get().target());
    size_t mark = std::min(target.find('?'), target.size());
    path_ = target.substr(0, mark);
    query_ = target.substr(std::min(mark + 1, target.size()));
    auto route = listener_->find_route(path_);
    if (!route) return refuse(http::status::not_found, "no route for this path\n");
    if (!websocket::is_upgrade(parser_.get()))
      return refuse(http::status::upgrade_required, "this is a WebSocket: ask for an upgrade\n");
    if (header("sec-websocket-key").size() != kKeySize) return refuse(http::status::bad_request, "the key is none\n");
    auto& origins = route->origins;
    if (!origins.empty() && std::find(origins.begin(), origins.end(), header("origin")) == origins.end())
      return refuse(http::status::forbidden, "this origin may not connect\n");
    if (!route->authorization.empty() && !is_same_secret(route->authorization, header("authorization")))
      return refuse(http::status::unauthorized, "not authorized\n");
    for (const std::string& offered : names_in(header("sec-websocket-protocol"))) {
      bool is_spoken = std::find(route->protocols.begin(), route->protocols.end(), offered) != route->protocols.end();
      if (is_spoken && protocol_.empty()) protocol_ = offered;
    }
    agree();
  }

  void refuse(http::status status, std::string text) {
    answer_.result(status);
    answer_.set(http::field::content_type, "text/plain");
    answer_.set(http::field::connection, "close");
    if (status == http::status::upgrade_required) answer_.set(http::field::upgrade, "websocket");
    answer_.body() = std::move(text);
    answer_.prepare_payload();
    http::async_write(stream_, answer_, [self = this->shared_from_this()](Error, size_t) {
      self->stream_.end([self](Error) { self->give_up(); });
    });
  }

  void agree() {
    websocket_ = std::make_unique<WebSocketStream>(std::move(stream_));
    set_options(*websocket_, listener_->bind().limits);
    websocket_->set_option(websocket::stream_base::decorator([protocol = protocol_](websocket::response_type& head) {
      if (!protocol.empty()) head.set(http::field::sec_websocket_protocol, protocol);
    }));
    websocket_->async_accept(parser_.get(), [self = this->shared_from_this()](Error error) {
      if (self->is_over_) return;
      error ? self->give_up() : self->agreed();
    });
  }

  void agreed() {
    is_over_ = true;
    timer_.cancel();
    AcceptedWebSocket accepted{
        .socket = nullptr, .path = path_, .query = query_, .peer = peer_, .protocol = protocol_, .headers = {}};
    for (const auto& field : parser_.get())
      accepted.headers.push_back(
          {text::ascii_lower(std::string_view(field.name_string().data(), field.name_string().size())),
           std::string(field.value())});
    auto session = std::make_shared<WebSocketSession>(listener_->bind().limits, nullptr);
    session->begin(std::move(websocket_), {});
    accepted.socket = std::make_shared<WebSocket>(std::move(session));
    listener_->joined(std::move(accepted));
  }

  std::shared_ptr<Listener> listener_;
  asio::steady_timer timer_;
  SocketStream stream_;
  std::unique_ptr<WebSocketStream> websocket_;
  std::string peer_, path_, query_, protocol_;
  bool is_over_ = false;
  beast::flat_buffer buffer_{2 * kMostHeadBytes};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> answer_;
};

}  // namespace

void WebSocketServer::Listener::next() {
  if (is_accepting_ || is_closed_ || present_ >= kMostWaiting) return;
  is_accepting_ = true;
  acceptor_.async_accept([self = shared_from_this()](Error error, tcp::socket socket) {
    self->is_accepting_ = false;
    if (self->is_closed_) return;
    if (error) return self->next_soon();
    Error ignored;
    ++self->present_;
    socket.set_option(tcp::no_delay(true), ignored);
    auto peer = socket.remote_endpoint(ignored);
    std::make_shared<Greeting<Listener>>(self, std::move(socket), shown(peer))->start();
    self->next();
  });
}

std::expected<std::shared_ptr<WebSocketServer>, std::string> WebSocketServer::listen(WebSocketBind bind,
                                                                                     std::function<void()> changed) {
  Error error;
  auto address = asio::ip::make_address(bind.address, error);
  if (error) return std::unexpected(fmt::format("`{}` is no address", bind.address));
  if (!bind.tls.cert_file.empty()) {
    if (auto tls = TlsSession::server(bind.tls); !tls) return std::unexpected(tls.error());
  }
  auto port = static_cast<uint16_t>(bind.port);
  auto listener = std::make_shared<Listener>(std::move(bind), std::move(changed));
  error = listener->open({address, port});
  if (error) return std::unexpected(error.message());
  std::shared_ptr<WebSocketServer> server(new WebSocketServer);
  server->address_ = listener->place().address().to_string();
  server->port_ = listener->place().port();
  server->listener_ = std::move(listener);
  post([listener = server->listener_] { listener->next(); });
  return server;
}

WebSocketServer::~WebSocketServer() {
  if (listener_) post([listener = listener_] { listener->close(); });
}

void WebSocketServer::add_route(WebSocketRoute route) { listener_->add_route(std::move(route)); }
std::optional<AcceptedWebSocket> WebSocketServer::accept() { return listener_->accept(); }

}  // namespace harn::net
