#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace harn {

// A thread that no signal is delivered to: those are for the program's first thread, which may be waiting for them.
template <class Main>
std::thread quiet_thread(Main main) {
  struct Blocked {
    Blocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before;
  } blocked;  // the new thread inherits it
  return std::thread(std::move(main));
}

}  // namespace harn
