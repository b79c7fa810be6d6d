#include "net/curl_loop.h"

#include <unistd.h>

#include "base/assert.h"

namespace harn::net {

// Idle connections that are always kept for the next request. While more are in use at the same time, that many are.
constexpr long kKeptConnections = 32;
// No more than these at a time, for a while: whoever needed many connections does not any more. A slow program that makes many
// requests has few of them on their way at some moments, and needs its connections all the same.
constexpr long kFewTransfers = 4;
constexpr std::chrono::milliseconds kQuietTime{2'000};

struct CurlLoop::Socket {
  Socket(CurlLoop& loop, curl_socket_t fd)
      : watch(fd, [&loop, fd](FdWatch::Events event) {
          loop.act(fd, event == FdWatch::kRead ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
        }) {}
  FdWatch watch;
};

// Room for files, pipes and sockets that are not curl's.
static long most_connections() {
  constexpr size_t kOthers = 256;
  size_t limit = file_limit();
  return static_cast<long>(limit > 2 * kOthers ? limit - kOthers : limit / 2);
}

CurlLoop::CurlLoop(const CurlLibrary& curl, Ended ended)
    : curl_(curl),
      ended_(std::move(ended)),
      timer_([this] { act(CURL_SOCKET_TIMEOUT, 0); }),
      multi_(curl.multi_init()) {
  HARN_ASSERT(multi_, "curl has no memory for its loop");
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kept_ = kKeptConnections);
  curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most_connections());
}

CurlLoop::~CurlLoop() { curl_.multi_cleanup(multi_); }

int CurlLoop::on_socket(CURL*, curl_socket_t fd, int what, void* loop, void*) {
  auto& self = *static_cast<CurlLoop*>(loop);
  if (what == CURL_POLL_REMOVE && !self.connections_.contains(fd)) {
    self.sockets_.erase(fd);
    return 0;
  }
  if (what == CURL_POLL_REMOVE) what = CURL_POLL_NONE;
  auto& socket = self.sockets_[fd];
  if (!socket) socket = std::make_unique<Socket>(self, fd);
  socket->watch.want((what & CURL_POLL_IN ? FdWatch::kRead : 0u) | (what & CURL_POLL_OUT ? FdWatch::kWrite : 0u));
  return 0;
}

int CurlLoop::on_connection(void* loop, curl_socket_t fd, curlsocktype) {
  static_cast<CurlLoop*>(loop)->connections_.insert(fd);
  return CURL_SOCKOPT_OK;
}

int CurlLoop::on_close(void* loop, curl_socket_t fd) {
  auto& self = *static_cast<CurlLoop*>(loop);
  self.sockets_.erase(fd);
  self.connections_.erase(fd);
  return close(fd);
}

void CurlLoop::prepare(CURL* transfer) {
  curl_.easy_setopt(transfer, CURLOPT_SOCKOPTFUNCTION, on_connection);
  curl_.easy_setopt(transfer, CURLOPT_SOCKOPTDATA, this);
  curl_.easy_setopt(transfer, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_.easy_setopt(transfer, CURLOPT_CLOSESOCKETDATA, this);
}

// Curl must not be called back from here: even "now" takes a turn of the loop.
int CurlLoop::on_timer(CURLM*, long ms, void* loop) {
  auto& timer = static_cast<CurlLoop*>(loop)->timer_;
  if (ms < 0) timer.stop();
  else timer.start(std::chrono::milliseconds(ms));
  return 0;
}

bool CurlLoop::add(CURL* transfer) {
  prepare(transfer);
  if (curl_.multi_add_handle(multi_, transfer) != CURLM_OK) return false;
  if (++active_ > kept_) curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kept_ = active_);
  note_use();
  return true;
}

// Both ends of a transfer count: many that began together may take longer than a quiet time.
void CurlLoop::note_use() {
  if (active_ > kFewTransfers) last_busy_ = std::chrono::steady_clock::now();
}

bool CurlLoop::is_oversized() const {
  return kept_ > kKeptConnections && active_ <= kFewTransfers &&
         std::chrono::steady_clock::now() - last_busy_ > kQuietTime;
}

void CurlLoop::remove(CURL* transfer) {
  note_use();
  if (curl_.multi_remove_handle(multi_, transfer) == CURLM_OK) --active_;
}

void CurlLoop::act(curl_socket_t fd, int events) {
  int running = 0;
  curl_.multi_socket_action(multi_, fd, events, &running);
  collect();
}

void CurlLoop::collect() {
  int left = 0;
  while (CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* transfer = message->easy_handle;
    CURLcode code = message->data.result;  // the message goes with the handle
    remove(transfer);
    ended_(transfer, code);
  }
}

}  // namespace harn::net
