#pragma once

#include "log/event_log.h"

// What sizes and retention mean, the same for every backend.
namespace harn::log {

inline uint64_t size_of(const std::string& kind, const std::string& payload, const std::string& headers,
                        const std::string& key) {
  return kind.size() + payload.size() + headers.size() + key.size();
}

// Whether the event can be kept.
Result<void> check_size(const NewEvent& event);

// What is known of a topic while events go from its front.
struct Kept {
  uint64_t first = 1;
  uint64_t last = 0;
  uint64_t bytes = 0;

  uint64_t count() const { return last + 1 - first; }
};

// Whether the oldest event, which happened at `at_ms`, has to go.
bool must_go(const Kept& kept, const Retention& retention, int64_t at_ms, int64_t now_ms);
// Whether that depends on more than how many there are: if not, and there are few enough, nobody has to look at an event.
bool may_go(const Kept& kept, const Retention& retention);

}  // namespace harn::log
