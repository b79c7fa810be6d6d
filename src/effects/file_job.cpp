#include "effects/file_job.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace harn::effects {

Stop::~Stop() {
  if (event_ >= 0) close(event_);
}

void Stop::request() {
  std::lock_guard guard(lock_);
  requested_.store(true, std::memory_order_relaxed);
  uint64_t one = 1;
  if (event_ >= 0) (void)!::write(event_, &one, sizeof one);
}

bool Stop::wait(int fd, short events, int timeout_ms) {
  // Without a descriptor for it, the flag is looked at now and then.
  constexpr int kLook = 50;
  int event;
  {
    std::lock_guard guard(lock_);
    if (event_ < 0) event_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    event = event_;
  }
  for (;;) {
    if (is_requested()) return false;
    pollfd waits[] = {{fd, events, 0}, {event, POLLIN, 0}};
    int ready = poll(waits, 2, event >= 0 || timeout_ms >= 0 ? timeout_ms : kLook);
    if (is_requested()) return false;
    if (ready > 0 || (ready == 0 && timeout_ms >= 0) || (ready < 0 && errno != EINTR)) return true;
  }
}

}  // namespace harn::effects
