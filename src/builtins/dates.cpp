// Dates: seconds since 1970, what they are called in a place, and text.
#include <cmath>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "dates/format.h"
#include "dates/parse.h"
#include "effects/clock.h"
#include "effects/time_zones.h"

namespace harn::builtins {
namespace {

using namespace vm;
using dates::Fields;
using dates::Instant;
using Zone = std::shared_ptr<const dates::TimeZone>;

// ---- arguments ----

// A number of seconds; where it is no date that can be written, nothing.
std::optional<Instant> instant_of(const Value& seconds) {
  Instant instant;
  if (seconds.is_int()) {
    if (seconds.as_int() < Instant::kFirstSecond || seconds.as_int() > Instant::kLastSecond) return std::nullopt;
    instant.microseconds = seconds.as_int() * 1'000'000;
  } else {
    // Nine digits before the point leave six behind it that mean anything.
    double rounded = std::round(seconds.as_float() * 1e6);
    if (!(std::abs(rounded) < 9e18)) return std::nullopt;
    instant.microseconds = static_cast<int64_t>(rounded);
  }
  return instant.is_in_range() ? std::optional(instant) : std::nullopt;
}

bool is_number(const Value& value) { return value.is_int() || value.is_float(); }

std::unexpected<Thrown> out_of_range(const Call& call) {
  return throw_text(ErrorKind::Invalid, "{}: timestamp out of range", call.row().name);
}

Outcome<Instant> date_arg(const Call& call, uint32_t i) {
  const Value* value = &call.arg(i);
  if (value->is_dict()) {
    value = value->as_dict()->find("timestamp");
    if (!value) return throw_text(ErrorKind::Type, "{}: missing timestamp argument", call.row().name);
  }
  if (!is_number(*value)) {
    return throw_text(ErrorKind::Type, "{}: expected timestamp number or date dict, got {}", call.row().name,
                      type_name(*value));
  }
  if (auto instant = instant_of(*value)) return *instant;
  return out_of_range(call);
}

// UTC when it was left out.
Outcome<Zone> zone_arg(Call& call, uint32_t i) {
  auto zone = effects::find_time_zone(HARN_TRY(call.text_or(i, "UTC")));
  if (!zone) return throw_text(ErrorKind::Invalid, "{}: {}", call.row().name, zone.error());
  return std::move(*zone);
}

// A date by the clocks of a place. They may show a year that cannot be written when UTC does not.
struct LocalDate {
  Zone zone;
  dates::Shown shown;
};
Outcome<LocalDate> local_date(Call& call, Instant instant, uint32_t zone_at) {
  Zone zone = HARN_TRY(zone_arg(call, zone_at));
  const dates::LocalTime& place = zone->at(instant.seconds());
  if (!Instant{instant.microseconds + place.offset * 1'000'000}.is_in_range()) return out_of_range(call);
  return LocalDate{std::move(zone), {instant, place}};
}

// ---- answers ----

Value seconds_value(Instant instant) {
  if (instant.fraction() == 0) return Value::integer(instant.seconds());
  return Value::number(static_cast<double>(instant.microseconds) / 1e6);
}

DictBuilder date_dict(const dates::Shown& date, std::string iso8601) {
  Fields fields = date.fields();
  DictBuilder out;
  out.add("year", Value::integer(fields.year))
      .add("month", Value::integer(fields.month))
      .add("day", Value::integer(fields.day))
      .add("hour", Value::integer(fields.hour))
      .add("minute", Value::integer(fields.minute))
      .add("second", Value::integer(fields.second))
      .add("weekday", Value::integer(dates::weekday_of(dates::days_from_civil(fields.year, fields.month, fields.day))))
      .add("timestamp", seconds_value(date.instant))
      .add("iso8601", text_value(iso8601));
  return out;
}

// ---- now ----

Outcome<Instant> instant_of(Call& call, int64_t ms) {
  int64_t seconds = ms / 1000;
  if (seconds <= Instant::kFirstSecond || seconds >= Instant::kLastSecond) return out_of_range(call);
  return Instant{ms * 1000};
}

Outcome<Instant> now(Call& call) {
  return instant_of(call, HARN_TRY(effects::perform(effects::Run::current(call.vm()), effects::ReadClock{})));
}

Outcome<Value> date_now(Call& call) {
  Instant instant = HARN_TRY(now(call));
  dates::LocalTime utc;
  return date_dict({instant, utc}, dates::utc_text(instant)).done();
}

Outcome<Value> date_now_iso(Call& call) { return text_value(dates::utc_text(HARN_TRY(now(call)))); }

Outcome<Value> own_now_iso(Call& call) {
  return text_value(dates::utc_text(HARN_TRY(instant_of(call, effects::wall_ms(effects::Run::current(call.vm()))))));
}

// ---- text ----

Outcome<Value> date_parse(Call& call) {
  auto instant = dates::parse(HARN_TRY(call.text(0)));
  if (!instant) return throw_text(ErrorKind::Invalid, "{}", instant.error());
  if (!instant->is_in_range()) return out_of_range(call);
  return seconds_value(*instant);
}

Outcome<Value> date_format(Call& call) {
  auto codes = HARN_TRY(call.text_or(1, "%Y-%m-%d %H:%M:%S"));
  LocalDate date = HARN_TRY(local_date(call, HARN_TRY(date_arg(call, 0)), 2));
  auto text = dates::format(date.shown, codes);
  if (!text) return throw_text(ErrorKind::Invalid, "date_format: {}", text.error());
  return text_value(*text);
}

Outcome<Value> weekday_name(Call& call) {
  LocalDate date = HARN_TRY(local_date(call, HARN_TRY(date_arg(call, 0)), 1));
  return text_value(*dates::format(date.shown, "%A"));
}

Outcome<Value> month_name(Call& call) {
  LocalDate date = HARN_TRY(local_date(call, HARN_TRY(date_arg(call, 0)), 1));
  return text_value(*dates::format(date.shown, "%B"));
}

// ---- zones ----

Outcome<Value> date_in_zone(Call& call) {
  auto name = HARN_TRY(call.text(1));
  LocalDate date = HARN_TRY(local_date(call, HARN_TRY(date_arg(call, 0)), 1));
  return date_dict(date.shown, dates::rfc3339(date.shown))
      .add("zone", text_value(name))
      .add("offset_seconds", Value::integer(date.shown.place.offset))
      .done();
}

Outcome<Value> date_to_zone(Call& call) {
  HARN_CHECK(call.text(1));
  LocalDate date = HARN_TRY(local_date(call, HARN_TRY(date_arg(call, 0)), 1));
  return text_value(dates::rfc3339(date.shown));
}

// ---- parts ----

Outcome<Fields> fields_arg(Call& call) {
  const DictObject* parts = HARN_TRY(call.dict(0));
  Fields fields;
  struct {
    std::string_view name;
    int64_t& to;
    bool is_required;
  } const kParts[] = {
      {"year", fields.year, true},  {"month", fields.month, true},    {"day", fields.day, true},
      {"hour", fields.hour, false}, {"minute", fields.minute, false}, {"second", fields.second, false},
  };
  // Those of date_now and date_in_zone may come along.
  constexpr std::string_view kNames[] = {"year",    "month",     "day",     "hour", "minute",        "second",
                                         "weekday", "timestamp", "iso8601", "zone", "offset_seconds"};
  HARN_CHECK(check_names("date_from_components", "part", parts, kNames));
  for (auto& part : kParts) {
    const Value* value = parts->find(part.name);
    if (!value || value->is_nil()) {
      if (!part.is_required) continue;
      return throw_text(ErrorKind::Invalid, "date_from_components: missing {}", part.name);
    }
    if (!value->is_int()) {
      return throw_text(ErrorKind::Type, "date_from_components: {} must be an integer, got {}", part.name,
                        type_name(*value));
    }
    part.to = value->as_int();
  }
  auto checked = dates::check(fields);
  if (!checked) return throw_text(ErrorKind::Invalid, "date_from_components: {}", checked.error());
  return fields;
}

// When clocks are put back, an hour is shown twice: the first one is meant.
Outcome<Value> date_from_components(Call& call) {
  Fields fields = HARN_TRY(fields_arg(call));
  Zone zone = HARN_TRY(zone_arg(call, 1));
  auto instants = zone->instants_of(dates::seconds_of(fields));
  if (instants.empty()) {
    return throw_text(ErrorKind::Invalid, "date_from_components: local time does not exist in that timezone");
  }
  Instant instant{instants.front() * 1'000'000};
  if (!instant.is_in_range()) return out_of_range(call);
  return seconds_value(instant);
}

// ---- reckoning ----

Outcome<Value> date_add(Call& call) {
  Instant instant = HARN_TRY(date_arg(call, 0));
  const Value& duration = call.arg(1);
  if (!duration.is_int()) {
    return throw_text(ErrorKind::Type, "date_add: expected duration, got {}", type_name(duration));
  }
  int64_t by;
  bool is_too_far = __builtin_mul_overflow(duration.as_int(), 1000, &by) ||
                    __builtin_add_overflow(instant.microseconds, by, &instant.microseconds);
  if (is_too_far || !instant.is_in_range()) return out_of_range(call);
  return seconds_value(instant);
}

// A fraction of a millisecond counts when it is at least half of one.
Outcome<Value> date_diff(Call& call) {
  Instant a = HARN_TRY(date_arg(call, 0)), b = HARN_TRY(date_arg(call, 1));
  int64_t difference = a.microseconds - b.microseconds;
  return Value::integer((difference + (difference < 0 ? -500 : 500)) / 1000);
}

constinit const Builtin kRows[] = {
    {.name = "__now_iso",
     .signature = "() -> string",
     .doc = "The time as date_iso gives it, for what the runtime makes: no policy forbids it.",
     .example = "__now_iso().ends_with(\"Z\")",
     .call = own_now_iso},
    {.name = "date_add",
     .signature = "(date: int | float | dict, duration: int) -> int | float",
     .doc = "The seconds since 1970 of a date that is a duration (milliseconds) later.",
     .example = "date_add(date_parse(\"2024-02-28\"), 1d) == date_parse(\"2024-02-29\")",
     .call = date_add},
    {.name = "date_diff",
     .signature = "(later: int | float | dict, earlier: int | float | dict) -> int",
     .doc = "How much later the first date is than the second, in milliseconds.",
     .example = "date_diff(date_parse(\"2024-03-01\"), date_parse(\"2024-02-28\")) == 2d",
     .call = date_diff},
    {.name = "date_format",
     .signature = "(date: int | float | dict, format?: string, zone?: string) -> string",
     .doc = "Writes a date by the codes of strftime, in UTC unless a zone is given.",
     .example = "date_format(0, \"%d %B %Y, %H:%M %Z\", \"Europe/Paris\") == \"01 January 1970, 01:00 CET\"",
     .call = date_format},
    {.name = "date_from_components",
     .signature = "(parts: dict, zone?: string) -> int",
     .doc = "The seconds since 1970 of {year, month, day, hour?, minute?, second?} in a zone, or in UTC.",
     .example = "date_from_components({year: 1970, month: 1, day: 1, hour: 1}, \"Europe/Paris\") == 0",
     .call = date_from_components},
    {.name = "date_in_zone",
     .signature = "(date: int | float | dict, zone: string) -> dict",
     .doc = "What calendar and clock show in a zone: as date_now, with zone and offset_seconds.",
     .example = "date_in_zone(0, \"Asia/Tokyo\").hour == 9",
     .call = date_in_zone},
    {.name = "date_iso",
     .signature = "() -> string",
     .doc = "The time in UTC as RFC 3339 text, with milliseconds.",
     .example = "{ -> mock_time(1500); date_iso() }() == \"1970-01-01T00:00:01.500Z\"",
     .needs = Capability::ClockRead,
     .call = date_now_iso},
    {.name = "date_now",
     .signature = "() -> dict",
     .doc =
         "The time in UTC: {year, month, day, hour, minute, second, weekday, timestamp, iso8601}; weekday 0 is Sunday.",
     .example = "{ -> mock_time(1500); date_now().timestamp }() == 1.5",
     .needs = Capability::ClockRead,
     .call = date_now},
    {.name = "date_now_iso",
     .signature = "() -> string",
     .doc = "The same as date_iso.",
     .example = "date_now_iso().ends_with(\"Z\")",
     .needs = Capability::ClockRead,
     .call = date_now_iso},
    {.name = "date_parse",
     .signature = "(text: string) -> int | float",
     .doc = "The seconds since 1970 of a date in RFC 3339, of a date without a zone (UTC), or of numbers from year to "
            "second.",
     .example = "date_parse(\"2024-03-10T15:00:00+01:00\") == date_parse(\"2024-03-10 14:00\")",
     .call = date_parse},
    {.name = "date_to_zone",
     .signature = "(date: int | float | dict, zone: string) -> string",
     .doc = "A date as RFC 3339 text by the clocks of a zone.",
     .example = "date_to_zone(0, \"Asia/Kolkata\") == \"1970-01-01T05:30:00+05:30\"",
     .call = date_to_zone},
    {.name = "month_name",
     .signature = "(date: int | float | dict, zone?: string) -> string",
     .doc = "The English name of a date's month.",
     .example = "month_name(0) == \"January\"",
     .call = month_name},
    {.name = "weekday_name",
     .signature = "(date: int | float | dict, zone?: string) -> string",
     .doc = "The English name of a date's day of the week.",
     .example = "weekday_name(0) == \"Thursday\"",
     .call = weekday_name},
};

}  // namespace

std::span<const Builtin> date_rows() { return kRows; }

}  // namespace harn::builtins
