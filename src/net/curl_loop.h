#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "net/curl_library.h"
#include "net/loop.h"

// Drives curl's transfers with the I/O thread's watches and timers: curl says which sockets and what time
// it is interested in, and is told when something happens there.
namespace harn::net {

// One curl multi handle, with the connections it keeps. Only on the I/O thread.
class CurlLoop {
 public:
  using Ended = std::move_only_function<void(CURL* transfer, CURLcode code)>;

  CurlLoop(const CurlLibrary& curl, Ended ended);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;

  // `ended` is called when the transfer is over. It is then out of the loop and the caller's again.
  bool add(CURL* transfer);
  void remove(CURL* transfer);
  bool is_empty() const { return active_ == 0; }
  // Many connections were in use at the same time, and have not been for a while. Curl lets go of them only
  // together with the loop.
  bool is_oversized() const;

 private:
  struct Socket;
  static int on_socket(CURL*, curl_socket_t fd, int what, void* loop, void* socket);
  // A connection is watched from its first use until it is closed: to begin and end a watch with every request would cost
  // as much as the request's own system calls. Other sockets (of a look for a name) are closed without a word.
  static int on_connection(void* loop, curl_socket_t fd, curlsocktype purpose);
  static int on_close(void* loop, curl_socket_t fd);
  void prepare(CURL* transfer);
  static int on_timer(CURLM*, long ms, void* loop);
  void note_use();
  void act(curl_socket_t fd, int events);
  void collect();

  const CurlLibrary& curl_;
  Ended ended_;
  std::unordered_map<curl_socket_t, std::unique_ptr<Socket>> sockets_;
  std::unordered_set<curl_socket_t> connections_;
  LoopTimer timer_;
  CURLM* multi_;
  long active_ = 0;                                  // transfers
  long kept_ = 0;                                    // how many connections it keeps
  std::chrono::steady_clock::time_point last_busy_;  // when there last were more transfers than are worth keeping
};

}  // namespace harn::net
