#include "net/websocket_session.h"

#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <set>

#include "base/fmt.h"
#include "net/asio_loop.h"
#include "net/loop.h"

namespace harn::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

// What is kept of messages that nobody receives, give or take one.
constexpr size_t kMostReceivedBytes = 1 << 20;
constexpr size_t kMostReceived = 256;
constexpr size_t kKeptBuffer = 64 * 1024;
// How long Beast may take with a close that both sides begin at once.
constexpr std::chrono::milliseconds kPatience(50);
// How long the other side may take to answer a close.
constexpr std::chrono::seconds kCloseTime(5);

// All sessions there are, for the end of the process.
struct Sessions {
  std::mutex lock;
  std::condition_variable one_is_over;
  std::set<WebSocketSession*> open;

  static Sessions& get() {
    static auto* sessions = new Sessions;  // the I/O thread may outlive `main`
    return *sessions;
  }
};

}  // namespace

void set_options(WebSocketStream& stream, const WebSocketLimits& limits) {
  websocket::permessage_deflate deflate;
  deflate.client_enable = deflate.server_enable = limits.compress;
  stream.set_option(deflate);
  stream.read_message_max(static_cast<size_t>(limits.max_message_bytes));
  stream.auto_fragment(false);  // a message is a frame
  stream.write_buffer_bytes(16 * 1024);
}

// ---- any thread ----

WebSocketSession::WebSocketSession(WebSocketLimits limits, std::function<void()> changed)
    : limits_(limits), changed_(std::move(changed)) {
  std::lock_guard guard(Sessions::get().lock);
  Sessions::get().open.insert(this);
}

WebSocketSession::~WebSocketSession() {
  std::lock_guard guard(Sessions::get().lock);
  Sessions::get().open.erase(this);
}

void WebSocketSession::on_change(std::function<void()> changed) {
  std::lock_guard guard(lock_);
  changed_ = std::move(changed);
}

std::optional<WebSocketHead> WebSocketSession::head() {
  std::lock_guard guard(lock_);
  return head_;
}

bool WebSocketSession::has_room() const {
  return received_.size() < kMostReceived && received_bytes_ < kMostReceivedBytes;
}

WebSocket::Received WebSocketSession::receive() {
  std::lock_guard guard(lock_);
  if (received_.empty()) return {is_over_ ? WebSocket::State::End : WebSocket::State::Later, {}};
  WebSocket::Received received{WebSocket::State::Some, std::move(received_.front())};
  received_.pop_front();
  received_bytes_ -= received.message.data.size();
  if (is_paused_ && has_room()) {
    is_paused_ = false;
    post([self = shared_from_this()] { self->read_next(); });
  }
  return received;
}

WebSocket::Sent WebSocketSession::send(WebSocketMessage message) {
  std::lock_guard guard(lock_);
  if (is_over_ || !takes_more_) return WebSocket::Sent::Over;
  auto most_bytes = static_cast<size_t>(limits_.send_buffer_bytes);
  auto most_messages = static_cast<size_t>(limits_.send_buffer_messages);
  bool fits = outgoing_.size() < most_messages && outgoing_bytes_ + message.data.size() <= most_bytes;
  if (!fits && !outgoing_.empty()) return WebSocket::Sent::Full;
  if (message.kind == WebSocketKind::Close) takes_more_ = false;
  outgoing_bytes_ += message.data.size();
  outgoing_.push_back(std::move(message));
  if (outgoing_.size() == 1) post([self = shared_from_this()] { self->write_next(); });
  return WebSocket::Sent::Taken;
}

void WebSocketSession::close(int code, std::string reason) {
  std::lock_guard guard(lock_);
  if (is_over_ || !takes_more_) return;
  takes_more_ = false;
  outgoing_.push_back({.kind = WebSocketKind::Close, .data = std::move(reason), .code = code});
  post([self = shared_from_this()] { self->write_next(); });
}

void WebSocketSession::abandon() {
  close(websocket::close_code::going_away, "");
  post([self = shared_from_this()] {
    {
      std::lock_guard guard(self->lock_);
      self->is_abandoned_ = true;
    }
    if (!self->stream_ && self->give_up_) self->give_up_();
  });
}

bool WebSocketSession::is_over() {
  std::lock_guard guard(lock_);
  return is_over_;
}

// ---- the I/O thread ----

bool WebSocketSession::is_abandoned() {
  std::lock_guard guard(lock_);
  return is_abandoned_;
}

void WebSocketSession::changed() {
  std::function<void()> told;
  {
    std::lock_guard guard(lock_);
    told = changed_;
  }
  if (told) told();
}

void WebSocketSession::begin(std::unique_ptr<WebSocketStream> stream, WebSocketHead head) {
  stream_ = std::move(stream);
  give_up_ = nullptr;
  websocket::stream_base::timeout times{kCloseTime, websocket::stream_base::none(), false};
  if (limits_.idle_timeout_ms > 0) {
    times.idle_timeout = std::chrono::milliseconds(limits_.idle_timeout_ms);
    times.keep_alive_pings = true;
  }
  stream_->set_option(times);
  stream_->control_callback([this](websocket::frame_type type, beast::string_view payload) {
    if (type == websocket::frame_type::close) return both_close();
    WebSocketKind kind = type == websocket::frame_type::ping ? WebSocketKind::Ping : WebSocketKind::Pong;
    push({.kind = kind, .data = std::string(payload)});
  });
  {
    std::lock_guard guard(lock_);
    head_ = std::move(head);
  }
  changed();
  read_next();
  write_next();
}

void WebSocketSession::fail(WebSocketHead head) {
  give_up_ = nullptr;
  {
    std::lock_guard guard(lock_);
    head_ = std::move(head);
    is_over_ = true;
  }
  changed();
}

void WebSocketSession::push(WebSocketMessage message) {
  {
    std::lock_guard guard(lock_);
    // Signs of life have been answered by now: those that nobody looks at may go.
    bool is_sign = message.kind == WebSocketKind::Ping || message.kind == WebSocketKind::Pong;
    if (is_sign && !has_room()) return;
    received_bytes_ += message.data.size();
    received_.push_back(std::move(message));
  }
  changed();
}

void WebSocketSession::read_next() {
  {
    std::lock_guard guard(lock_);
    if (is_over_) return;
    if (!has_room()) {
      is_paused_ = true;
      return;
    }
  }
  stream_->async_read(buffer_, [self = shared_from_this()](Error error, size_t) { self->was_read(error); });
}

void WebSocketSession::was_read(Error error) {
  if (error) return ended(error);
  WebSocketMessage message{.kind = stream_->got_text() ? WebSocketKind::Text : WebSocketKind::Binary};
  message.data = beast::buffers_to_string(buffer_.data());
  buffer_.clear();
  if (buffer_.capacity() > kKeptBuffer) buffer_.shrink_to_fit();
  push(std::move(message));
  read_next();
}

void WebSocketSession::write_next() {
  if (!stream_ || is_writing_ || is_closing_) return;
  {
    std::lock_guard guard(lock_);
    if (outgoing_.empty() || is_over_) return;
    current_ = std::move(outgoing_.front());
    outgoing_.front().data.clear();  // it stays in line, so that nobody else starts to write
  }
  is_writing_ = true;
  auto written = [self = shared_from_this()](Error error, size_t = 0) { self->was_written(error); };
  switch (current_.kind) {
    case WebSocketKind::Text:
    case WebSocketKind::Binary:
      stream_->text(current_.kind == WebSocketKind::Text);
      return stream_->async_write(asio::buffer(current_.data), written);
    case WebSocketKind::Ping: control_.assign(current_.data); return stream_->async_ping(control_, written);
    case WebSocketKind::Pong: control_.assign(current_.data); return stream_->async_pong(control_, written);
    case WebSocketKind::Close: return start_close(current_);
  }
}

void WebSocketSession::was_written(Error error) {
  is_writing_ = false;
  {
    std::lock_guard guard(lock_);
    if (is_over_) return;
    outgoing_bytes_ -= current_.data.size();
    outgoing_.pop_front();
  }
  if (error) return ended(error);
  changed();
  write_next();
}

void WebSocketSession::start_close(const WebSocketMessage& message) {
  is_closing_ = true;
  websocket::close_reason reason;
  reason.code = static_cast<websocket::close_code>(message.code);
  reason.reason = message.data;
  stream_->async_close(reason, [self = shared_from_this()](Error error) {
    self->ended(error ? error : Error(websocket::error::closed));
  });
}

// The other side's close, and Beast is about to handle it. When ours is under way at that very moment, its read and its close
// may wait for each other: after a while they are dropped.
void WebSocketSession::both_close() {
  if (!is_closing_) return;  // the read that is under way ends with it
  auto patience = std::make_shared<asio::steady_timer>(io_context(), kPatience);
  patience->async_wait([self = shared_from_this(), patience](Error) {
    if (self->is_over()) return;
    self->ended(websocket::error::closed);
    self->stream_->next_layer().end([self](Error) { self->stream_.reset(); });
  });
}

WebSocketMessage WebSocketSession::last_message(Error error) const {
  WebSocketMessage last{.kind = WebSocketKind::Close, .code = websocket::close_code::abnormal};
  if (error == websocket::error::closed) {
    last.is_clean = true;
    last.code = stream_->reason().code == websocket::close_code::none ? int{websocket::close_code::no_status}
                                                                      : int{stream_->reason().code};
    last.data = std::string(stream_->reason().reason.data(), stream_->reason().reason.size());
  } else if (error == websocket::error::bad_frame_payload) {
    last.code = websocket::close_code::bad_payload;
    last.data = "the text received is not UTF-8";
  } else if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow) {
    last.code = websocket::close_code::too_big;
    last.data = fmt::format("a message of more than {} bytes was received", limits_.max_message_bytes);
  } else if (error == beast::error::timeout) {
    last.data = is_closing_ ? "the other side does not close" : "nothing was heard from the other side";
  } else if (error.category() == make_error_code(websocket::error::closed).category()) {
    last.code = websocket::close_code::protocol_error;
    last.data = fmt::format("the other side breaks the protocol: {}", error.message());
  } else {
    last.data = "the connection was cut";
  }
  return last;
}

// A read, a write or a close says that it is over; the first to say so tells why.
void WebSocketSession::ended(Error error) {
  if (is_over()) return;
  WebSocketMessage last = last_message(error);
  stream_->control_callback();
  if (!last.is_clean) beast_close_socket(stream_->next_layer());
  {
    std::lock_guard guard(lock_);
    received_bytes_ += last.data.size();
    received_.push_back(std::move(last));
    outgoing_.clear();
    outgoing_bytes_ = 0;
    is_over_ = true;
  }
  {
    std::lock_guard guard(Sessions::get().lock);
    Sessions::get().one_is_over.notify_all();
  }
  changed();
}

// ---- what others see ----

WebSocket::WebSocket(std::shared_ptr<WebSocketSession> session) : session_(std::move(session)) {}
WebSocket::~WebSocket() { session_->abandon(); }
void WebSocket::on_change(std::function<void()> changed) { session_->on_change(std::move(changed)); }
std::optional<WebSocketHead> WebSocket::head() { return session_->head(); }
WebSocket::Received WebSocket::receive() { return session_->receive(); }
WebSocket::Sent WebSocket::send(WebSocketMessage message) { return session_->send(std::move(message)); }
void WebSocket::close(int code, std::string reason) { session_->close(code, std::move(reason)); }
bool WebSocket::is_over() { return session_->is_over(); }

void finish_websockets(int64_t most_ms) {
  Sessions& sessions = Sessions::get();
  std::vector<std::shared_ptr<WebSocketSession>> open;
  std::unique_lock lock(sessions.lock);
  for (WebSocketSession* session : sessions.open) {
    if (auto held = session->weak_from_this().lock()) open.push_back(std::move(held));
  }
  lock.unlock();  // whoever lets go of one needs it
  std::erase_if(open, [](auto& session) { return session->is_over(); });
  for (auto& session : open) session->abandon();
  auto all_over = [&] {
    return std::all_of(open.begin(), open.end(), [](auto& session) { return session->is_over(); });
  };
  lock.lock();
  sessions.one_is_over.wait_for(lock, std::chrono::milliseconds(most_ms), all_over);
  lock.unlock();
}

}  // namespace harn::net
