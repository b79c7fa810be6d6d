// Durations, which are ints: milliseconds.
#include <cmath>

#include "base/result.h"
#include "builtins/families.h"

namespace harn::builtins {
namespace {

using namespace vm;

std::unexpected<Thrown> overflow(const Call& call) {
  return throw_text(ErrorKind::Limit, "{}: duration overflow", call.row().name);
}

template <int64_t kMilliseconds>
Outcome<Value> duration_of(Call& call) {
  const Value& count = call.arg(0);
  if (count.is_int()) {
    int64_t ms;
    if (__builtin_mul_overflow(count.as_int(), kMilliseconds, &ms)) return overflow(call);
    return Value::integer(ms);
  }
  if (!count.is_float()) {
    return throw_text(ErrorKind::Type, "{}: expected number, got {}", call.row().name, type_name(count));
  }
  // 2.3 seconds are 2300 milliseconds, though 2.3 is a little less than that.
  double ms = std::round(count.as_float() * kMilliseconds);
  constexpr double kLimit = 9223372036854775808.0;
  if (!(ms >= -kLimit && ms < kLimit)) return overflow(call);
  return Value::integer(static_cast<int64_t>(ms));
}

Outcome<int64_t> duration_arg(Call& call) {
  const Value& duration = call.arg(0);
  if (duration.is_int()) return duration.as_int();
  return throw_text(ErrorKind::Type, "{}: expected duration, got {}", call.row().name, type_name(duration));
}

Outcome<Value> duration_to_seconds(Call& call) { return Value::integer(HARN_TRY(duration_arg(call)) / 1000); }

Outcome<Value> duration_to_human(Call& call) {
  struct Unit {
    std::string_view name;
    uint64_t ms;
  };
  constexpr Unit kUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}};
  constexpr int kMostUnits = 3;

  int64_t duration = HARN_TRY(duration_arg(call));
  // The smallest int has no opposite among ints.
  uint64_t rest = duration < 0 ? -static_cast<uint64_t>(duration) : static_cast<uint64_t>(duration);
  std::string out;
  int units = 0;
  for (const Unit& unit : kUnits) {
    uint64_t count = rest / unit.ms;
    rest %= unit.ms;
    if (count == 0 || units == kMostUnits) continue;
    out += fmt::format("{}{}{}", units++ ? " " : duration < 0 ? "-" : "", count, unit.name);
  }
  return text_value(out.empty() ? "0s" : out);
}

#define HARN_DURATION(unit, ms)                                                                               \
  {                                                                                                           \
    .name = "duration_" unit, .signature = "(count: int | float) -> int",                                     \
    .doc = "A duration of so many " unit ", in milliseconds.", .example = "duration_" unit "(2) == 2 * " #ms, \
    .call = duration_of<ms>                                                                                   \
  }

constinit const Builtin kRows[] = {
    HARN_DURATION("days", 86400000),
    HARN_DURATION("hours", 3600000),
    HARN_DURATION("minutes", 60000),
    {.name = "duration_ms",
     .signature = "(count: int | float) -> int",
     .doc = "A duration of so many milliseconds: a number without its fraction, rounded.",
     .example = "duration_ms(1500) == 1500ms",
     .call = duration_of<1>},
    HARN_DURATION("seconds", 1000),
    {.name = "duration_to_human",
     .signature = "(duration: int) -> string",
     .doc = "A duration for people: its three largest units of d, h, m, s and ms that are not zero.",
     .example = "duration_to_human(1d + 90m) == \"1d 1h 30m\"",
     .call = duration_to_human},
    {.name = "duration_to_seconds",
     .signature = "(duration: int) -> int",
     .doc = "The whole seconds of a duration, without what is left of it.",
     .example = "duration_to_seconds(2999ms) == 2",
     .call = duration_to_seconds},
};

}  // namespace

std::span<const Builtin> duration_rows() { return kRows; }

}  // namespace harn::builtins
