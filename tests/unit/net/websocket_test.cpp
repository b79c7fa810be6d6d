#include "net/websocket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <random>

#include "base/fmt.h"
#include "net/websocket_server.h"

namespace harn::net {
namespace {

// Asks again whenever something has changed, for a while. Callbacks may outlive it.
class Watch {
 public:
  std::function<void()> changed() {
    return [state = state_] {
      std::lock_guard guard(state->lock);
      ++state->changes;
      state->happened.notify_all();
    };
  }
  template <class Ask>
  auto until(Ask ask) -> decltype(ask()) {
    auto due = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      uint64_t before = count();
      if (auto answer = ask()) return answer;
      std::unique_lock lock(state_->lock);
      if (!state_->happened.wait_until(lock, due, [&] { return state_->changes != before; })) return {};
    }
  }

 private:
  struct State {
    std::mutex lock;
    std::condition_variable happened;
    uint64_t changes = 0;
  };
  uint64_t count() {
    std::lock_guard guard(state_->lock);
    return state_->changes;
  }
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class WebSocketTest : public testing::Test {
 protected:
  WebSocketTest() {
    WebSocketBind bind;
    bind.limits.max_message_bytes = 100'000;
    server_ = *WebSocketServer::listen(bind, watch_.changed());
    server_->add_route({.path = "/"});
  }
  ~WebSocketTest() override {
    server_.reset();
    finish_websockets(2'000);
  }

  std::shared_ptr<WebSocket> connect() {
    WebSocketRequest request{.url = fmt::format("ws://127.0.0.1:{}/", server_->port())};
    auto socket = WebSocket::connect(request, watch_.changed());
    auto head = watch_.until([&] { return socket->head(); });
    EXPECT_TRUE(head && head->failure == HttpFailure::None) << (head ? head->message : "nothing");
    return socket;
  }
  std::shared_ptr<WebSocket> accept() {
    auto accepted = watch_.until([&] { return server_->accept(); });
    if (!accepted) return nullptr;
    accepted->socket->on_change(watch_.changed());
    return accepted->socket;
  }
  std::optional<WebSocketMessage> receive(WebSocket& socket) {
    auto received = watch_.until([&]() -> std::optional<WebSocket::Received> {
      auto next = socket.receive();
      return next.state == WebSocket::State::Later ? std::nullopt : std::optional(std::move(next));
    });
    return received && received->state == WebSocket::State::Some ? std::optional(received->message) : std::nullopt;
  }

  // A connection of which the test writes each byte.
  int raw() {
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return fd;
  }

  Watch watch_;
  std::shared_ptr<WebSocketServer> server_;
};

constexpr std::string_view kHandshake =
    "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

TEST_F(WebSocketTest, CarriesMessagesBothWays) {
  auto client = connect();
  auto peer = accept();
  ASSERT_TRUE(peer);
  for (size_t size : {0, 1, 125, 126, 65'535, 65'536, 99'999}) {
    client->send({.kind = WebSocketKind::Binary, .data = std::string(size, 'x')});
    auto got = receive(*peer);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->data.size(), size);
    peer->send({.kind = WebSocketKind::Text, .data = std::string(size, 'y')});
    got = receive(*client);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->data, std::string(size, 'y'));
  }
  client->close(1000, "enough");
  auto last = receive(*peer);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->code, 1000);
  EXPECT_EQ(last->data, "enough");
  EXPECT_FALSE(receive(*peer));
}

TEST_F(WebSocketTest, MayBeGivenUpAtAnyTime) {
  for (int i = 0; i < 200; ++i) {
    WebSocketRequest request{.url = fmt::format("ws://127.0.0.1:{}/", server_->port())};
    auto socket = WebSocket::connect(request, watch_.changed());
    if (i % 3 > 0) watch_.until([&] { return socket->head(); });
    if (i % 3 > 1) socket->send({.data = std::string(1000, 'x')});
    while (server_->accept()) continue;
  }
}

// Whatever comes, the server stays and tells of an end.
TEST_F(WebSocketTest, SurvivesRandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    int fd = raw();
    std::string bytes;
    bool shakes_hands = round % 4 != 0;
    if (shakes_hands) bytes = kHandshake;
    size_t count = random() % 200;
    for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(random());
    // Mostly what could be the head of a frame.
    if (shakes_hands && count > 2) {
      bytes[kHandshake.size()] = static_cast<char>((random() % 2 ? 0x80 : 0) | (random() % 11));
      bytes[kHandshake.size() + 1] = static_cast<char>(0x80 | random() % 128);
    }
    EXPECT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    shutdown(fd, SHUT_WR);
    if (shakes_hands) {
      auto peer = accept();
      ASSERT_TRUE(peer);
      std::optional<WebSocketMessage> last;
      while (auto got = receive(*peer)) last = got;
      ASSERT_TRUE(last);
      EXPECT_EQ(last->kind, WebSocketKind::Close);
    }
    close(fd);
  }
  EXPECT_TRUE(connect());
}

}  // namespace
}  // namespace harn::net
