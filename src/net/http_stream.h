#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"

namespace harn::net {

// A request whose bodies pass through in pieces.
//
// Both directions have a bounded buffer. When nobody reads, the buffer fills, then the connection is left alone and the
// server has to wait; when the server does not read, `write` takes no more. So memory stays bounded however large the
// bodies are. `timeout_ms` is for the head of the answer, `max_body` does not apply.
//
//   HttpStream stream(request, RequestBody::Whole, [&] { wake_up(); });
//   while (auto piece = stream.read(4096); ...)
//
// Any thread may call it. Nothing blocks: what cannot be done yet says so, and `changed` is called, on the I/O thread and
// without a lock, when it is worth to ask again. The end of the object cancels what is under way; `changed` may be called
// once more then, so what it uses is held by it.
class HttpStream {
 public:
  enum class RequestBody : uint8_t { Whole /* HttpRequest::body */, Written };

  HttpStream(HttpRequest request, RequestBody body, std::function<void()> changed);
  ~HttpStream();
  HttpStream(const HttpStream&) = delete;

  // The answer without its body, or why there is none; nothing: not yet.
  std::optional<HttpResponse> head();

  enum class State : uint8_t { Some, Later, End, Failed };
  struct Piece {
    State state = State::Later;
    std::string bytes;                        // Some
    HttpFailure failure = HttpFailure::None;  // Failed
    std::string message;
  };
  // Up to `most` bytes of the body, once there are any. What came before a failure is read first.
  Piece read(size_t most);

  // RequestBody::Written: how many of the bytes it took. None: later, or the request is over (`head` tells).
  size_t write(std::string_view bytes);
  void end_body();

  // What each buffer holds at most, give or take a piece of the network's.
  static constexpr size_t kBuffer = 256 * 1024;

 private:
  class Pipes;
  std::shared_ptr<Pipes> pipes_;
  RequestId id_;
};

}  // namespace harn::net
