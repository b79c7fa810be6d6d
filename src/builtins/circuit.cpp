// Circuit breakers: named counters of failures in a row. After `threshold` of them the breaker is open
// and callers should not try; `reset_ms` later it is half open, and the next success or failure decides.
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/wait_time.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr int64_t kDefaultThreshold = 5;
constexpr int64_t kDefaultResetMs = 30'000;

struct Breaker {
  int64_t threshold = kDefaultThreshold;
  int64_t reset_ms = kDefaultResetMs;
  int64_t failures = 0;
  bool is_open = false;
  Nanoseconds half_open_at = 0;
};

struct Breakers {
  SpinLock lock;
  std::unordered_map<std::string, Breaker> by_name;

  Breaker* find(std::string_view name) {
    auto found = by_name.find(std::string(name));
    return found == by_name.end() ? nullptr : &found->second;
  }
};

Outcome<Value> circuit_breaker(Call& call) {
  auto name = HARN_TRY(call.text_or(0, "default"));
  int64_t threshold = HARN_TRY(call.integer_or(1, kDefaultThreshold));
  int64_t reset_ms = HARN_TRY(call.integer_or(2, kDefaultResetMs));
  if (threshold < 1)
    return runtime_error(ErrorKind::Invalid, "circuit_breaker: threshold must be positive, got {}", threshold);
  if (reset_ms < 0)
    return runtime_error(ErrorKind::Invalid, "circuit_breaker: reset_ms must not be negative, got {}", reset_ms);
  auto& breakers = call.vm().local<Breakers>();
  std::lock_guard lock(breakers.lock);
  breakers.by_name[std::string(name)] = {.threshold = threshold, .reset_ms = reset_ms};
  return text_value(name);
}

Outcome<Value> circuit_check(Call& call) {
  auto name = HARN_TRY(call.text(0));
  auto& breakers = call.vm().local<Breakers>();
  std::lock_guard lock(breakers.lock);
  const Breaker* breaker = breakers.find(name);
  if (!breaker || !breaker->is_open) return text_value("closed");
  bool may_try = call.vm().scheduler().clock().now() >= breaker->half_open_at;
  return text_value(may_try ? "half_open" : "open");
}

// A success closes the breaker whatever it was before; so does circuit_reset.
Outcome<Value> close(Call& call) {
  auto name = HARN_TRY(call.text(0));
  auto& breakers = call.vm().local<Breakers>();
  std::lock_guard lock(breakers.lock);
  if (Breaker* breaker = breakers.find(name)) {
    breaker->failures = 0;
    breaker->is_open = false;
  }
  return Value();
}

Outcome<Value> record_failure(Call& call) {
  auto name = HARN_TRY(call.text(0));
  auto& breakers = call.vm().local<Breakers>();
  std::lock_guard lock(breakers.lock);
  Breaker* breaker = breakers.find(name);
  if (!breaker) return Value::boolean(false);
  Scheduler& scheduler = call.vm().scheduler();
  bool is_waiting = breaker->is_open && scheduler.clock().now() < breaker->half_open_at;
  if (++breaker->failures < breaker->threshold || is_waiting) return Value::boolean(false);
  breaker->is_open = true;
  breaker->half_open_at = due_in(scheduler, breaker->reset_ms);
  return Value::boolean(true);
}

// ---- putting away ----

void breaker_fields(park::Archive& archive, Breaker& breaker) {
  archive.number(breaker.threshold);
  archive.number(breaker.reset_ms);
  archive.number(breaker.failures);
  archive.number(breaker.is_open);
  archive.number(breaker.half_open_at);
}
void breakers_fields(park::Archive& archive, Vm& vm) {
  auto& by_name = vm.local<Breakers>().by_name;
  archive.entries(
      by_name, [&](std::string& name) { archive.text(name); },
      [&](Breaker& breaker) { breaker_fields(archive, breaker); });
}

constinit const Builtin kRows[] = {
    {.name = "circuit_breaker",
     .signature = "(name?: string, threshold?: int, reset_ms?: int) -> string",
     .doc = "Makes a breaker that opens after `threshold` (5) failures in a row, for `reset_ms` (30000).",
     .example = "circuit_breaker(\"api\", 2, 1000) == \"api\"",
     .call = circuit_breaker},
    {.name = "circuit_check",
     .signature = "(name: string) -> \"closed\" | \"open\" | \"half_open\"",
     .doc = "\"closed\", \"open\" (do not try) or \"half_open\" (try once); closed for an unknown name.",
     .example = "circuit_check(\"api\") == \"closed\"",
     .call = circuit_check},
    {.name = "circuit_record_failure",
     .signature = "(name: string) -> bool",
     .doc = "Counts a failure; true when the breaker has just opened.",
     .example = "circuit_record_failure(circuit_breaker(\"api\", 1))",
     .call = record_failure},
    {.name = "circuit_record_success",
     .signature = "(name: string) -> nil",
     .doc = "Closes the breaker and forgets its failures.",
     .example = "circuit_record_success(\"api\") == nil",
     .call = close},
    {.name = "circuit_reset",
     .signature = "(name: string) -> nil",
     .doc = "Closes the breaker by hand.",
     .example = "circuit_reset(\"api\") == nil",
     .call = close},
};

}  // namespace

const park::PartRow kBreakersPart = {"circuit breakers", breakers_fields};

std::span<const Builtin> circuit_rows() { return kRows; }

}  // namespace harn::builtins
