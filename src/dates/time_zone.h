#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dates/zone_rule.h"

// One time zone: what clocks showed there, and will show. Immutable once read; for any thread.
//
//   auto zone = TimeZone::read(bytes_of_the_file);
//   zone->at(1'700'000'000).offset;                  // 3600
//   zone->instants_of(local_seconds);                // none in a gap, two in a fold
namespace harn::dates {

class TimeZone {
 public:
  static TimeZone utc();
  // The bytes of a zone file (TZif, RFC 8536), of any version; or what is wrong with them. Files that count leap seconds
  // are refused: the clock does not.
  static std::expected<TimeZone, std::string> read(std::string_view bytes);

  const LocalTime& at(int64_t seconds) const;
  // The instants, in order, at which clocks show this: `local` is the seconds of `seconds_of(fields)`.
  std::vector<int64_t> instants_of(int64_t local) const;

 private:
  friend class ZoneReader;

  std::vector<int64_t> changes_;  // when, ascending
  std::vector<uint8_t> types_;    // to which of `times_`
  std::vector<LocalTime> times_;  // the first is that before all changes
  std::optional<ZoneRule> rule_;  // behind the last change; none: nothing changes any more
  std::vector<int64_t> offsets_;  // all that there are, ascending
};

}  // namespace harn::dates
