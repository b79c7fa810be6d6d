#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The rule by which a zone goes on behind the last change that its file lists (the TZ variable of POSIX, with the
// extensions of RFC 8536): `CET-1CEST,M3.5.0,M10.5.0/3`. Immutable once read; for any thread.
namespace harn::dates {

// What the clocks of a zone show while nothing changes there.
struct LocalTime {
  int64_t offset = 0;  // seconds east of UTC
  bool is_summer = false;
  std::string abbreviation;  // "CEST"
};

class ZoneRule {
 public:
  // Nothing when the text is no such rule.
  static std::optional<ZoneRule> read(std::string_view text);

  const LocalTime& at(int64_t seconds) const;
  const LocalTime& standard() const { return standard_; }
  // Null where clocks never change.
  const LocalTime* summer() const { return summer_ ? &*summer_ : nullptr; }

 private:
  friend class RuleReader;

  // The day of a year on which clocks change, and when on that day.
  struct Change {
    enum class Kind : uint8_t { MonthWeekDay, DayWithoutLeap, DayOfYear } kind = Kind::MonthWeekDay;
    int64_t month = 0, week = 0, day = 0;
    int64_t time = 7200;  // seconds from midnight, by the clock before the change
    int64_t seconds_in(int64_t year) const;
  };

  LocalTime standard_;
  std::optional<LocalTime> summer_;
  Change to_summer_, to_standard_;
};

}  // namespace harn::dates
