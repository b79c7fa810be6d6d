#include "engine/system_host.h"

#include <sys/random.h>

#include <chrono>
#include <cstdlib>

namespace harn::engine {

std::string SystemHost::env(std::string_view name, bool& found) {
  const char* value = getenv(std::string(name).c_str());
  found = value != nullptr;
  return value ? value : "";
}

int64_t SystemHost::now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

void SystemHost::random_bytes(void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t got = getrandom(at, size, 0);
    if (got < 0) continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
}

}  // namespace harn::engine
