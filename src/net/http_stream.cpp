#include "net/http_stream.h"

#include <algorithm>
#include <mutex>

#include "base/mutex.h"
#include "net/http_exchange.h"
#include "net/loop.h"

namespace harn::net {

namespace {

// Bytes that are put in at one end and taken out at the other.
class Buffer {
 public:
  size_t size() const { return bytes_.size() - start_; }
  size_t room() const { return size() < HttpStream::kBuffer ? HttpStream::kBuffer - size() : 0; }

  void put(std::string_view bytes) {
    bytes_.erase(0, std::exchange(start_, 0));
    bytes_ += bytes;
  }
  std::string_view front(size_t most) const { return std::string_view(bytes_).substr(start_, most); }
  void drop(size_t count) { start_ += count; }

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace

// What both threads share.
class HttpStream::Pipes : public HttpBodies, public std::enable_shared_from_this<Pipes> {
 public:
  Pipes(RequestBody body, std::function<void()> changed) : body_(body), changed_(std::move(changed)) {}

  // ---- on the I/O thread ----

  void begin(const HttpResponse& head) override {
    {
      std::lock_guard guard(lock_);
      head_ = head;
    }
    tell_soon();
  }

  Taken take(std::string_view piece) override {
    {
      std::lock_guard guard(lock_);
      is_held_ = incoming_.size() > 0 && incoming_.room() < piece.size();
      if (is_held_) return Taken::Later;
      try {
        incoming_.put(piece);
      } catch (const std::bad_alloc&) {
        return Taken::Never;
      }
    }
    tell_soon();
    return Taken::All;
  }

  bool takes_its_time() const override { return true; }
  bool gives_body() const override { return body_ == RequestBody::Written; }

  Given give(std::span<char> room) override {
    Given given;
    {
      std::lock_guard guard(lock_);
      std::string_view bytes = outgoing_.front(room.size());
      given.size = bytes.copy(room.data(), bytes.size());
      outgoing_.drop(given.size);
      given.is_end = given.size == 0 && is_written_;
      is_starved_ = given.size == 0 && !is_written_;
    }
    if (given.size > 0) changed_();
    return given;
  }

  void end(HttpResponse response) {
    {
      std::lock_guard guard(lock_);
      is_over_ = true;
      if (!head_) head_ = response;
      failure_ = response.failure;
      message_ = std::move(response.message);
    }
    is_telling_ = false;
    changed_();
  }

  // ---- on any thread ----

  bool is_over() {
    std::lock_guard guard(lock_);
    return is_over_;
  }

  std::optional<HttpResponse> head() {
    std::lock_guard guard(lock_);
    return head_;
  }

  Piece read(size_t most, RequestId id) {
    std::lock_guard guard(lock_);
    Piece piece;
    if (incoming_.size() == 0 || most == 0) {
      if (!is_over_) return piece;
      piece.state = failure_ == HttpFailure::None ? State::End : State::Failed;
      piece.failure = failure_;
      piece.message = message_;
      return piece;
    }
    piece.state = State::Some;
    piece.bytes = incoming_.front(most);
    incoming_.drop(piece.bytes.size());
    // Not for every byte that there is room for: going on costs a turn of the I/O thread.
    if (incoming_.size() <= kBuffer / 2 && std::exchange(is_held_, false)) resume_exchange(id);
    return piece;
  }

  size_t write(std::string_view bytes, RequestId id) {
    std::lock_guard guard(lock_);
    if (is_over_ || is_written_) return 0;
    bytes = bytes.substr(0, outgoing_.room());
    outgoing_.put(bytes);
    if (!bytes.empty() && std::exchange(is_starved_, false)) resume_exchange(id);
    return bytes.size();
  }

  void end_body(RequestId id) {
    std::lock_guard guard(lock_);
    is_written_ = true;
    if (std::exchange(is_starved_, false)) resume_exchange(id);
  }

 private:
  // When all that has come at once is here: head, body and end of a short answer are one piece of news, and not three for which
  // whoever waits is woken and put to sleep again.
  void tell_soon() {
    if (std::exchange(is_telling_, true)) return;
    post([self = shared_from_this()] {
      if (std::exchange(self->is_telling_, false)) self->changed_();
    });
  }

  const RequestBody body_;
  const std::function<void()> changed_;
  bool is_telling_ = false;  // the I/O thread's
  Mutex lock_;               // of what follows
  std::optional<HttpResponse> head_;
  Buffer incoming_;
  bool is_held_ = false;  // the network has a piece for which there was no room
  Buffer outgoing_;
  bool is_written_ = false;  // all of the request's body is there
  bool is_starved_ = false;  // the network waits for more of it
  bool is_over_ = false;
  HttpFailure failure_ = HttpFailure::None;
  std::string message_;
};

HttpStream::HttpStream(HttpRequest request, RequestBody body, std::function<void()> changed)
    : pipes_(std::make_shared<Pipes>(body, std::move(changed))) {
  request.max_body = 0;
  id_ = start_exchange(std::move(request), pipes_,
                       [pipes = pipes_](HttpResponse response) { pipes->end(std::move(response)); });
}

// One that has ended costs no turn of the I/O thread.
HttpStream::~HttpStream() {
  if (!pipes_->is_over()) cancel_request(id_);
}

std::optional<HttpResponse> HttpStream::head() { return pipes_->head(); }
HttpStream::Piece HttpStream::read(size_t most) { return pipes_->read(most, id_); }
size_t HttpStream::write(std::string_view bytes) { return pipes_->write(bytes, id_); }
void HttpStream::end_body() { pipes_->end_body(id_); }

}  // namespace harn::net
