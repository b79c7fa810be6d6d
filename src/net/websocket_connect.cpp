// How a connection to a server begins: its address, the way there, TLS, and the agreement to speak WebSocket.
#include <boost/asio/connect.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "base/codecs.h"
#include "base/fmt.h"
#include "base/text.h"
#include "base/url.h"
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

struct Place {
  std::string host;  // an address of IPv6 without brackets
  int port = 0;
};

Place place_of(const Url& url, int usual_port) {
  std::string host = url.host.value_or("");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, url.port.value_or(usual_port)};
}

std::vector<HttpHeader> headers_of(const auto& fields) {
  std::vector<HttpHeader> headers;
  for (const auto& field : fields)
    headers.push_back({text::ascii_lower(std::string_view(field.name_string().data(), field.name_string().size())),
                       std::string(field.value())});
  return headers;
}

// One attempt. Its operations hold it; all of it is on the I/O thread.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(WebSocketRequest request, std::shared_ptr<WebSocketSession> session)
      : request_(std::move(request)),
        session_(std::move(session)),
        resolver_(io_context()),
        timer_(io_context()),
        stream_(tcp::socket(io_context())) {}

  void start() {
    auto url = parse_url(request_.url);
    if (!url || !url->host) return fail(HttpFailure::Address, "the URL makes no sense");
    url_ = *std::move(url);
    is_secure_ = url_.scheme == "wss";
    target_ = place_of(url_, is_secure_ ? 443 : 80);
    Place next = target_;
    if (!request_.proxy.empty()) {
      auto proxy =
          parse_url(request_.proxy.find("://") == request_.proxy.npos ? "http://" + request_.proxy : request_.proxy);
      if (!proxy || !proxy->host || proxy->scheme != "http")
        return fail(HttpFailure::Address, "the proxy must be http://host:port");
      next = place_of(*proxy, 80);
    }
    session_->set_give_up([self = weak_from_this()] {
      if (auto attempt = self.lock()) attempt->fail(HttpFailure::Cancelled, "the connection was given up");
    });
    timer_.expires_after(std::chrono::milliseconds(request_.timeout_ms));
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (error) return;
      self->fail(HttpFailure::Timeout, fmt::format("not connected within {} ms", self->request_.timeout_ms));
    });
    look_up(next);
  }

 private:
  // The first failure counts; what is under way ends with it.
  void fail(HttpFailure failure, std::string message, int status = 0, std::vector<HttpHeader> headers = {}) {
    if (std::exchange(is_over_, true)) return;
    timer_.cancel();
    resolver_.cancel();
    if (websocket_) websocket_->next_layer().close();
    else stream_.close();
    session_->fail({.failure = failure,
                    .message = std::move(message),
                    .status = status,
                    .protocol = "",
                    .headers = std::move(headers)});
  }

  void look_up(const Place& place) {
    Error error;
    auto address = asio::ip::make_address(place.host, error);
    if (!error) {
      addresses_.emplace_back(address, static_cast<uint16_t>(place.port));
      return connect();
    }
    resolver_.async_resolve(place.host, std::to_string(place.port), tcp::resolver::numeric_service,
                            [self = shared_from_this(), host = place.host](Error error, const auto& found) {
                              if (self->is_over_) return;
                              if (error)
                                return self->fail(HttpFailure::Address,
                                                  fmt::format("the host `{}` cannot be found", host));
                              for (const auto& entry : found) self->addresses_.push_back(entry.endpoint());
                              self->connect();
                            });
  }

  void connect() {
    for (const tcp::endpoint& to : addresses_) {
      std::string refusal = request_.check_address ? request_.check_address(to.address().to_string(), to.port()) : "";
      if (!refusal.empty()) return fail(HttpFailure::Blocked, refusal);
    }
    asio::async_connect(stream_.socket(), addresses_, [self = shared_from_this()](Error error, const tcp::endpoint&) {
      if (self->is_over_) return;
      if (error) return self->fail(HttpFailure::Connect, fmt::format("cannot connect: {}", error.message()));
      Error ignored;
      self->stream_.socket().set_option(tcp::no_delay(true), ignored);
      if (self->request_.proxy.empty()) self->secure();
      else self->ask_proxy();
    });
  }

  // ---- through a proxy ----

  std::string host_and_port(const Place& place) const {
    return place.host.find(':') == place.host.npos ? fmt::format("{}:{}", place.host, place.port)
                                                   : fmt::format("[{}]:{}", place.host, place.port);
  }

  void ask_proxy() {
    std::string to = host_and_port(target_);
    proxy_request_ = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", to);
    if (!request_.proxy_user.empty())
      proxy_request_ += fmt::format("Proxy-Authorization: Basic {}\r\n", codecs::to_base64(request_.proxy_user));
    proxy_request_ += "\r\n";
    asio::async_write(stream_, asio::buffer(proxy_request_), [self = shared_from_this()](Error error, size_t) {
      if (self->is_over_) return;
      if (error) return self->fail(HttpFailure::Cut, "the proxy has ended the connection");
      self->read_proxy();
    });
  }

  void read_proxy() {
    proxy_answer_.emplace();
    proxy_answer_->skip(true);  // the tunnel begins where the head ends
    http::async_read_header(stream_, proxy_buffer_, *proxy_answer_, [self = shared_from_this()](Error error, size_t) {
      if (self->is_over_) return;
      if (error) return self->fail(HttpFailure::Cut, "the proxy does not answer as one");
      int status = self->proxy_answer_->get().result_int();
      if (status / 100 != 2)
        return self->fail(HttpFailure::Connect, fmt::format("the proxy answers with status {}", status));
      self->secure();
    });
  }

  // ---- TLS and the agreement ----

  void secure() {
    if (!is_secure_) return agree();
    auto tls = TlsSession::client(request_.tls, target_.host);
    if (!tls) return fail(HttpFailure::Tls, tls.error());
    stream_.start_tls(*std::move(tls), [self = shared_from_this()](Error error) {
      if (self->is_over_) return;
      if (!error) return self->agree();
      std::string why = self->stream_.why();
      self->fail(HttpFailure::Tls,
                 fmt::format("the TLS handshake has failed: {}", why.empty() ? "the connection was cut" : why));
    });
  }

  std::string path_and_query() const {
    std::string path = url_.path.empty() ? "/" : url_.path;
    return url_.query ? path + "?" + *url_.query : path;
  }

  // As in a URL: without the usual port.
  std::string host_header() const {
    bool is_usual = target_.port == (is_secure_ ? 443 : 80);
    return is_usual ? *url_.host : host_and_port(target_);
  }

  void add_headers(websocket::request_type& head) const {
    if (url_.username)
      head.set(http::field::authorization,
               "Basic " + codecs::to_base64(*url_.username + ":" + url_.password.value_or("")));
    for (const HttpHeader& header : request_.headers) head.set(header.name, header.value);
    if (!request_.protocols.empty())
      head.set(http::field::sec_websocket_protocol, fmt::format("{}", fmt::join(request_.protocols, ", ")));
  }

  void agree() {
    websocket_ = std::make_unique<WebSocketStream>(std::move(stream_));
    set_options(*websocket_, request_.limits);
    // Called by the handshake only, which holds this.
    websocket_->set_option(
        websocket::stream_base::decorator([this](websocket::request_type& head) { add_headers(head); }));
    websocket_->async_handshake(answer_, host_header(), path_and_query(),
                                [self = shared_from_this()](Error error) { self->agreed(error); });
  }

  void agreed(Error error) {
    if (is_over_) return;
    if (error == websocket::error::upgrade_declined)
      return fail(HttpFailure::Cut, declined(), answer_.result_int(), headers_of(answer_));
    if (error.category() == make_error_code(websocket::error::closed).category())
      return fail(HttpFailure::Cut, fmt::format("the server's answer is no WebSocket handshake: {}", error.message()));
    if (error) return fail(HttpFailure::Cut, fmt::format("the handshake has failed: {}", error.message()));
    std::string protocol(answer_[http::field::sec_websocket_protocol]);
    const auto& offered = request_.protocols;
    if (!protocol.empty() && std::find(offered.begin(), offered.end(), protocol) == offered.end())
      return fail(HttpFailure::Cut, fmt::format("the server speaks `{}`, which was not offered", protocol));
    is_over_ = true;
    timer_.cancel();
    session_->begin(std::move(websocket_), {.failure = HttpFailure::None,
                                            .message = "",
                                            .status = 0,
                                            .protocol = std::move(protocol),
                                            .headers = headers_of(answer_)});
  }

  std::string declined() const {
    std::string to(answer_[http::field::location]);
    bool is_redirect = answer_.result_int() / 100 == 3 && !to.empty();
    return is_redirect ? fmt::format("the server redirects to {}, which is not followed", masked_url(to))
                       : fmt::format("the server answers with status {}", answer_.result_int());
  }

  const WebSocketRequest request_;
  std::shared_ptr<WebSocketSession> session_;
  tcp::resolver resolver_;
  asio::steady_timer timer_;
  SocketStream stream_;
  std::unique_ptr<WebSocketStream> websocket_;
  Url url_;
  Place target_;
  bool is_secure_ = false;
  bool is_over_ = false;
  std::vector<tcp::endpoint> addresses_;
  std::string proxy_request_;
  beast::flat_buffer proxy_buffer_{16 * 1024};
  std::optional<http::response_parser<http::empty_body>> proxy_answer_;
  websocket::response_type answer_;
};

}  // namespace

std::shared_ptr<WebSocket> WebSocket::connect(WebSocketRequest request, std::function<void()> changed) {
  auto session = std::make_shared<WebSocketSession>(request.limits, std::move(changed));
  post([request = std::move(request), session]() mutable {
    if (!session->is_abandoned()) std::make_shared<Attempt>(std::move(request), session)->start();
  });
  return std::make_shared<WebSocket>(std::move(session));
}

}  // namespace harn::net
