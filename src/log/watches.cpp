#include "log/watches.h"

#include <algorithm>

namespace harn::log {

EventLog::WatchId Watches::add(const std::string& topic, uint64_t after, std::function<void()> changed) {
  std::lock_guard guard(lock_);
  watches_[topic].push_back({++last_, after, std::move(changed)});
  return last_;
}

void Watches::remove(EventLog::WatchId watch) {
  std::lock_guard guard(lock_);
  for (auto at = watches_.begin(); at != watches_.end(); ++at) {
    if (std::erase_if(at->second, [&](const Watch& one) { return one.id == watch; }) == 0) continue;
    if (at->second.empty()) watches_.erase(at);
    return;
  }
}

void Watches::tell(const std::string& topic, uint64_t last) {
  std::vector<Watch> told;
  {
    std::lock_guard guard(lock_);
    auto found = watches_.find(topic);
    if (found == watches_.end()) return;
    auto& waiting = found->second;
    auto reached = std::partition(waiting.begin(), waiting.end(), [&](const Watch& one) { return one.after >= last; });
    std::move(reached, waiting.end(), std::back_inserter(told));
    waiting.erase(reached, waiting.end());
    if (waiting.empty()) watches_.erase(found);
  }
  for (Watch& one : told) one.changed();
}

std::vector<std::string> Watches::topics() {
  std::lock_guard guard(lock_);
  std::vector<std::string> out;
  for (const auto& [topic, watches] : watches_) out.push_back(topic);
  return out;
}

bool Watches::is_empty() {
  std::lock_guard guard(lock_);
  return watches_.empty();
}

}  // namespace harn::log
