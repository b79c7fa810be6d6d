#include "llm/rate_limits.h"

namespace harn::llm {

using vm::Nanoseconds;

constexpr Nanoseconds kMinute = Nanoseconds{60'000} * vm::kMillisecond;

void RateLimits::set(std::string_view provider, std::optional<int64_t> rpm) {
  std::lock_guard guard(lock_);
  if (!rpm || *rpm <= 0) limits_.erase(std::string(provider));
  else limits_[std::string(provider)].rpm = *rpm;
}

std::optional<int64_t> RateLimits::get(std::string_view provider) {
  std::lock_guard guard(lock_);
  auto found = limits_.find(provider);
  return found == limits_.end() ? std::nullopt : std::optional(found->second.rpm);
}

Nanoseconds RateLimits::take_place(std::string_view provider, Nanoseconds now) {
  std::lock_guard guard(lock_);
  auto found = limits_.find(provider);
  if (found == limits_.end()) return now;
  Limit& limit = found->second;
  while (limit.taken.size() > static_cast<size_t>(limit.rpm)) limit.taken.pop_front();
  Nanoseconds at = now;
  if (limit.taken.size() == static_cast<size_t>(limit.rpm)) {
    at = std::max(now, limit.taken.front() + kMinute);
    limit.taken.pop_front();
  }
  limit.taken.push_back(at);
  return at;
}

}  // namespace harn::llm
