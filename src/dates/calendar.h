#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

// The Gregorian calendar, also for the time before it was used, over plain numbers: seconds since 1970 without leap seconds.
// Nothing here fails, and all of it is for any thread.
namespace harn::dates {

constexpr int64_t kDay = 86'400;

// A point in time: microseconds since 1970, UTC. Years 0 to 9999, which is what RFC 3339 can write.
struct Instant {
  int64_t microseconds = 0;

  static constexpr int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
  static constexpr int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

  // Rounded down, also before 1970.
  int64_t seconds() const;
  int64_t fraction() const { return microseconds - seconds() * 1'000'000; }  // 0 to 999,999
  bool is_in_range() const { return seconds() >= kFirstSecond && seconds() <= kLastSecond; }
};

// What a calendar and a clock on the wall show.
struct Fields {
  int64_t year = 1970;
  int64_t month = 1;  // 1 to 12
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
};

int64_t days_from_civil(int64_t year, int64_t month, int64_t day);
bool is_leap_year(int64_t year);
int64_t days_of_month(int64_t year, int64_t month);
// 0 is Sunday.
int64_t weekday_of(int64_t days);

// Seconds since 1970 on a clock that shows these fields, and the other way round.
int64_t seconds_of(const Fields& fields);
Fields fields_of(int64_t seconds);

// Whether there is such a date and time, or what is wrong: "Invalid month: 13 (must be 1-12)", "Invalid date: 2023-02-29".
std::expected<void, std::string> check(const Fields& fields);

// English names; the number is that of `weekday_of`, and of a month from 1.
std::string_view weekday_name(int64_t weekday);
std::string_view month_name(int64_t month);

}  // namespace harn::dates
