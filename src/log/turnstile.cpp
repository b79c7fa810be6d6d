#include "log/turnstile.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/fmt.h"

namespace harn::log {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kInLine = 0, kInside = 1;  // what the two bytes stand for

bool lock(int descriptor, int place, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &range) == 0;
}

// Asked again and again, because a process that has been stopped must not keep us for ever.
bool wait_for(int descriptor, int place, Clock::time_point until) {
  while (!lock(descriptor, place, F_WRLCK)) {
    if (Clock::now() > until) return false;
    timespec time{0, 200'000};
    nanosleep(&time, nullptr);
  }
  return true;
}

}  // namespace

Result<Turnstile> Turnstile::open(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) return Turnstile(path, descriptor);
  ErrorKind kind = errno == EACCES || errno == EROFS ? ErrorKind::Denied : ErrorKind::Io;
  return fail(kind, fmt::format("event log {}: {}", path, strerror(errno)));
}

Turnstile::Turnstile(Turnstile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Turnstile::~Turnstile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> Turnstile::enter(int64_t patience_ms) {
  auto until = Clock::now() + std::chrono::milliseconds(patience_ms);
  bool is_next = wait_for(descriptor_, kInLine, until);
  bool is_inside = is_next && wait_for(descriptor_, kInside, until);
  if (is_next) lock(descriptor_, kInLine, F_UNLCK);
  if (is_inside) return {};
  return fail(ErrorKind::Timeout,
              fmt::format("event log {}: another process has kept it locked for {} s", path_, patience_ms / 1000));
}

void Turnstile::leave() { lock(descriptor_, kInside, F_UNLCK); }

}  // namespace harn::log
