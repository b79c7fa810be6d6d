#include "log/retention.h"

#include <future>

#include "base/fmt.h"

namespace harn::log {

Result<void> check_size(const NewEvent& event) {
  uint64_t size = size_of(event.kind, event.payload, event.headers, event.key);
  if (size <= kMostEventBytes) return {};
  return fail(ErrorKind::Limit, fmt::format("event log: an event of {} bytes is too large, at most {} are possible",
                                            size, kMostEventBytes));
}

bool must_go(const Kept& kept, const Retention& retention, int64_t at_ms, int64_t now_ms) {
  if (kept.count() <= 1) return false;
  if (retention.max_count && kept.count() > retention.max_count) return true;
  if (retention.max_bytes && kept.bytes > retention.max_bytes) return true;
  return retention.max_age_ms && at_ms < now_ms - retention.max_age_ms;
}

bool may_go(const Kept& kept, const Retention& retention) {
  return kept.count() > 1 && ((retention.max_count && kept.count() > retention.max_count) ||
                              (retention.max_bytes && kept.bytes > retention.max_bytes) || retention.max_age_ms);
}

Result<Appended> append_now(EventLog& log, NewEvent event) {
  std::promise<Result<Appended>> answer;
  log.append(std::move(event), [&](Result<Appended> appended) { answer.set_value(std::move(appended)); });
  return answer.get_future().get();
}

Result<uint64_t> retain_now(EventLog& log, const std::string& topic, const Retention& retention, int64_t now_ms) {
  std::promise<Result<uint64_t>> answer;
  log.retain(topic, retention, now_ms, [&](Result<uint64_t> gone) { answer.set_value(std::move(gone)); });
  return answer.get_future().get();
}

}  // namespace harn::log
