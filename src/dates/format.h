#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "dates/calendar.h"
#include "dates/zone_rule.h"

// Dates as text, in English, whatever the host's language.
namespace harn::dates {

// What is shown: an instant by the clocks of a place.
struct Shown {
  Instant instant;
  const LocalTime& place;
  Fields fields() const { return fields_of(instant.seconds() + place.offset); }
};

// `%Y-%m-%d` and the other codes of strftime, with `%3f` (milliseconds), `%.3f`, `%:z` and the flags `%-d`, `%_d`, `%0e`; or
// which code there is not.
std::expected<std::string, std::string> format(const Shown& date, std::string_view codes);

// 2024-03-10T15:00:00.250+01:00: with as many digits behind the second as it has. An offset there is a number of minutes; where
// clocks were once set by the sun, the time is told by the nearest such offset.
std::string rfc3339(const Shown& date);
// 2024-03-10T14:00:00.250Z: always milliseconds.
std::string utc_text(Instant instant);

}  // namespace harn::dates
