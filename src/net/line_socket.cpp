#include "net/line_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <deque>
#include <mutex>
#include <new>

#include "base/mutex.h"
#include "net/loop.h"

namespace harn::net {

namespace {

constexpr size_t kMostHeld = 8u << 20;     // bytes of lines that nobody has taken
constexpr size_t kMostUnsent = 16u << 20;  // bytes that the other side has not read; one line may be longer

}  // namespace

// What both threads share. The I/O thread holds it while it watches the socket.
class LineSocket::Pipe : public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(Descriptor from, Descriptor to, size_t max_line, std::function<void()> changed)
      : from_(std::move(from)), to_(std::move(to)), max_line_(max_line), changed_(std::move(changed)) {}

  // ---- on the I/O thread ----

  void begin() {
    self_ = shared_from_this();
    from_watch_.emplace(from_.get(), [this](FdWatch::Events) { readable(); });
    to_watch_.emplace(to_.get(), [this](FdWatch::Events) { writable(); });
    update();
  }

  void stop() {
    from_watch_.reset();
    to_watch_.reset();
    from_ = Descriptor();
    to_ = Descriptor();
    self_.reset();
  }

  void update() {
    if (!from_watch_) return;
    bool is_all_sent = false;
    {
      std::lock_guard guard(lock_);
      from_watch_->want(end_ == End::None && held_ < kMostHeld ? FdWatch::kRead : FdWatch::kNone);
      to_watch_->want(sent_ < unsent_.size() ? FdWatch::kWrite : FdWatch::kNone);
      is_all_sent = is_last_written_ && sent_ == unsent_.size();
    }
    if (is_all_sent) shutdown(to_.get(), SHUT_WR);
  }

  // ---- on any thread ----

  std::optional<std::string> take() {
    std::lock_guard guard(lock_);
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    bool was_full = held_ >= kMostHeld;
    held_ -= line.size() + 1;
    if (was_full && held_ < kMostHeld) post([pipe = shared_from_this()] { pipe->update(); });
    return line;
  }

  End end() {
    std::lock_guard guard(lock_);
    return lines_.empty() ? end_ : End::None;
  }

  bool write(std::string_view line) {
    std::lock_guard guard(lock_);
    if (end_ != End::None || is_last_written_ || unsent_.size() - sent_ > kMostUnsent) return false;
    unsent_.erase(0, std::exchange(sent_, 0));
    unsent_.append(line).push_back('\n');
    post([pipe = shared_from_this()] { pipe->update(); });
    return true;
  }

  void end_writing() {
    std::lock_guard guard(lock_);
    is_last_written_ = true;
    post([pipe = shared_from_this()] { pipe->update(); });
  }

 private:
  void readable() {
    auto self = self_;
    receive();
    update();
    changed_();
  }

  void writable() {
    auto self = self_;
    send();
    update();
  }

  void receive() {
    static char block[64 * 1024];
    // A few blocks at a time: others have something to read, too.
    for (int round = 0; round < 4; ++round) {
      ssize_t got = recv(from_.get(), block, sizeof block, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      std::lock_guard guard(lock_);
      if (got <= 0) end_ = End::Closed;
      else add({block, static_cast<size_t>(got)});
      if (end_ != End::None || held_ >= kMostHeld) return;
    }
  }

  void add(std::string_view bytes) try {
    for (size_t at; (at = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(at + 1)) {
      part_ += bytes.substr(0, at);
      if (part_.ends_with('\r')) part_.pop_back();
      held_ += part_.size() + 1;
      lines_.push_back(std::exchange(part_, {}));
    }
    part_ += bytes;
    if (part_.size() > max_line_) end_ = End::LineTooLong;
  } catch (const std::bad_alloc&) {  // must not end the I/O thread
    end_ = End::NoMemory;
  }

  void send() {
    std::lock_guard guard(lock_);
    while (sent_ < unsent_.size()) {
      ssize_t sent = ::send(to_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return;
      // What is still to be read says why, and is followed by the end.
      sent_ = sent < 0 ? unsent_.size() : sent_ + static_cast<size_t>(sent);
    }
  }

  // ---- the I/O thread's own ----
  Descriptor from_, to_;
  std::optional<FdWatch> from_watch_, to_watch_;
  std::shared_ptr<Pipe> self_;
  std::string part_;  // of a line
  size_t max_line_;
  std::function<void()> changed_;

  // ---- under the lock ----
  Mutex lock_;
  std::deque<std::string> lines_;
  size_t held_ = 0;  // bytes of them
  End end_ = End::None;
  std::string unsent_;
  size_t sent_ = 0;  // bytes of it
  bool is_last_written_ = false;
};

LineSocket::LineSocket(Descriptor from, Descriptor to, size_t max_line, std::function<void()> changed)
    : pipe_(std::make_shared<Pipe>(std::move(from), std::move(to), max_line, std::move(changed))) {
  post([pipe = pipe_] { pipe->begin(); });
}

LineSocket::~LineSocket() {
  post([pipe = pipe_] { pipe->stop(); });
}

std::optional<std::string> LineSocket::take() { return pipe_->take(); }
LineSocket::End LineSocket::end() { return pipe_->end(); }
bool LineSocket::write(std::string_view line) { return pipe_->write(line); }
void LineSocket::end_writing() { pipe_->end_writing(); }

}  // namespace harn::net
