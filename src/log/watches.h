#pragma once

#include <map>
#include <mutex>

#include "base/mutex.h"
#include "log/event_log.h"

namespace harn::log {

// Who wants to know of events: the same for every backend. On any thread.
class Watches {
 public:
  EventLog::WatchId add(const std::string& topic, uint64_t after, std::function<void()> changed);
  void remove(EventLog::WatchId watch);

  // Tells those who wait for events up to `last`, which exist now.
  void tell(const std::string& topic, uint64_t last);
  // The topics that somebody watches.
  std::vector<std::string> topics();
  bool is_empty();

 private:
  struct Watch {
    EventLog::WatchId id;
    uint64_t after;
    std::function<void()> changed;
  };

  Mutex lock_;
  EventLog::WatchId last_ = 0;
  std::map<std::string, std::vector<Watch>> watches_;
};

}  // namespace harn::log
