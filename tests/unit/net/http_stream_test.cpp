#include "net/http_stream.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/fmt.h"

namespace harn::net {
namespace {

using State = HttpStream::State;

// One connection at a time, by hand: a test says what the server reads and writes, and when.
class Peer {
 public:
  Peer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Peer() {
    hang_up();
    close(listener_);
  }

  std::string url() const { return fmt::format("http://127.0.0.1:{}/", port_); }
  void take_call() { connection_ = accept(listener_, nullptr, nullptr); }
  void hang_up() {
    if (connection_ >= 0) close(std::exchange(connection_, -1));
  }
  // Up to and including `end`; what there was when the other side hung up.
  std::string read_until(std::string_view end) {
    char piece[65536];
    while (received_.find(end) == std::string::npos) {
      ssize_t size = recv(connection_, piece, sizeof piece, 0);
      if (size <= 0) return std::exchange(received_, {});
      received_.append(piece, static_cast<size_t>(size));
    }
    size_t behind = received_.find(end) + end.size();
    std::string taken = received_.substr(0, behind);
    received_.erase(0, behind);
    return taken;
  }
  // False when the other side takes nothing for a while.
  bool send_some(std::string_view bytes) {
    timeval patience{0, 300'000};
    setsockopt(connection_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    while (!bytes.empty()) {
      ssize_t size = send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(size));
    }
    return true;
  }

 private:
  int listener_;
  int port_ = 0;
  int connection_ = -1;
  std::string received_;
};

// Waits for `changed`.
class Bell {
 public:
  std::function<void()> ringer() {
    return [shared = shared_] {
      std::lock_guard guard(shared->lock);
      ++shared->rings;
      shared->rang.notify_all();
    };
  }
  // Until `is_there` says so.
  template <class Question>
  bool wait_for(Question is_there) {
    for (;;) {
      uint64_t heard = rings();
      if (is_there()) return true;
      std::unique_lock guard(shared_->lock);
      bool has_rung = shared_->rang.wait_for(guard, std::chrono::seconds(20), [&] { return shared_->rings != heard; });
      if (!has_rung) return false;
    }
  }

 private:
  struct Shared {
    std::mutex lock;
    std::condition_variable rang;
    uint64_t rings = 0;
  };
  uint64_t rings() {
    std::lock_guard guard(shared_->lock);
    return shared_->rings;
  }
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

HttpRequest request_to(const Peer& peer, std::string method = "GET") {
  return {.method = std::move(method), .url = peer.url(), .proxy = ""};
}

TEST(HttpStream, ABodyThatNobodyReadsStopsTheServer) {
  Peer peer;
  Bell bell;
  HttpStream stream(request_to(peer), HttpStream::RequestBody::Whole, bell.ringer());
  peer.take_call();
  peer.read_until("\r\n\r\n");
  ASSERT_TRUE(peer.send_some("HTTP/1.1 200 OK\r\n\r\n"));
  ASSERT_TRUE(bell.wait_for([&] { return stream.head().has_value(); }));
  EXPECT_EQ(stream.head()->status, 200);
  std::string block(1 << 20, 'x');
  size_t blocks = 0;
  while (blocks < 200 && peer.send_some(block)) ++blocks;
  EXPECT_LT(blocks, 64u);  // what the sockets hold
  // It goes on when somebody reads.
  std::thread rest([&] {
    for (size_t i = 0; i < 20; ++i) peer.send_some(block);
    peer.hang_up();
  });
  size_t read = 0;
  HttpStream::Piece piece;
  while (bell.wait_for([&] { return (piece = stream.read(100'000)).state != State::Later; }) &&
         piece.state == State::Some) {
    EXPECT_LE(piece.bytes.size(), 100'000u);
    read += piece.bytes.size();
  }
  rest.join();
  EXPECT_EQ(piece.state, State::End);
  EXPECT_GE(read, (blocks + 10) << 20);
}

TEST(HttpStream, AWrittenBodyWaitsForTheServer) {
  Peer peer;
  Bell bell;
  HttpStream stream(request_to(peer, "POST"), HttpStream::RequestBody::Written, bell.ringer());
  peer.take_call();
  std::string head = peer.read_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("POST / "));
  EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(head.find("Expect"), std::string::npos);
  // The server reads nothing: so much fits into the buffers between, and no more.
  std::string block(1 << 20, 'y');
  size_t written = 0;
  for (int quiet = 0; quiet < 30 && written < 200u << 20;) {
    size_t taken = stream.write(block);
    written += taken;
    if (taken > 0) {
      quiet = 0;
    } else {
      ++quiet;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  EXPECT_LT(written, 64u << 20);
  EXPECT_FALSE(stream.head());
  std::string body;
  std::thread reader([&] { body = peer.read_until("\r\n0\r\n\r\n"); });
  size_t goal = written + (5u << 20);
  ASSERT_TRUE(bell.wait_for([&] {
    while (written < goal) {
      size_t taken = stream.write(std::string_view(block).substr(0, goal - written));
      if (taken == 0) return false;
      written += taken;
    }
    return true;
  }));
  stream.end_body();
  reader.join();
  EXPECT_EQ(static_cast<size_t>(std::count(body.begin(), body.end(), 'y')), goal);
  peer.send_some("HTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok");
  HttpStream::Piece piece;
  ASSERT_TRUE(bell.wait_for([&] { return (piece = stream.read(10)).state != State::Later; }));
  EXPECT_EQ(piece.bytes, "ok");
  EXPECT_EQ(stream.head()->status, 201);
  ASSERT_TRUE(bell.wait_for([&] { return (piece = stream.read(10)).state != State::Later; }));
  EXPECT_EQ(piece.state, State::End);
  EXPECT_EQ(stream.write("more"), 0u);
}

TEST(HttpStream, BytesThatAreWrittenLateAreSent) {
  Peer peer;
  Bell bell;
  HttpStream stream(request_to(peer, "PUT"), HttpStream::RequestBody::Written, bell.ringer());
  peer.take_call();
  peer.read_until("\r\n\r\n");
  for (std::string_view word : {"one", "two"}) {
    EXPECT_EQ(stream.write(word), 3u);
    EXPECT_NE(peer.read_until(word).find(word), std::string::npos);
  }
  stream.end_body();
  EXPECT_TRUE(peer.read_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
}

TEST(HttpStream, TheEndOfTheObjectEndsTheRequest) {
  Peer peer;
  Bell bell;
  {
    HttpStream stream(request_to(peer), HttpStream::RequestBody::Whole, bell.ringer());
    peer.take_call();
    peer.read_until("\r\n\r\n");
    peer.send_some("HTTP/1.1 200 OK\r\n\r\nsome");
    ASSERT_TRUE(bell.wait_for([&] { return stream.read(10).state == State::Some; }));
  }
  EXPECT_EQ(peer.read_until("never"), "");  // hung up
}

TEST(HttpStream, FailuresAreToldBehindTheBytes) {
  Peer peer;
  Bell bell;
  HttpStream stream(request_to(peer), HttpStream::RequestBody::Whole, bell.ringer());
  peer.take_call();
  peer.read_until("\r\n\r\n");
  peer.send_some("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  peer.hang_up();
  HttpStream::Piece piece;
  ASSERT_TRUE(bell.wait_for([&] { return (piece = stream.read(10)).state != State::Later; }));
  EXPECT_EQ(piece.bytes, "half");
  ASSERT_TRUE(bell.wait_for([&] { return (piece = stream.read(10)).state != State::Later; }));
  EXPECT_EQ(piece.state, State::Failed);
  EXPECT_EQ(piece.failure, HttpFailure::Cut);

  HttpRequest late = request_to(peer);
  late.timeout_ms = 50;
  HttpStream silent(late, HttpStream::RequestBody::Whole, bell.ringer());
  ASSERT_TRUE(bell.wait_for([&] { return silent.head().has_value(); }));
  EXPECT_EQ(silent.head()->failure, HttpFailure::Timeout);
}

}  // namespace
}  // namespace harn::net
