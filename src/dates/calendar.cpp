#include "dates/calendar.h"

#include "base/fmt.h"

namespace harn::dates {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t Instant::seconds() const { return floor_divide(microseconds, 1'000'000); }

// Years are counted from March, so that the leap day is the last one, in eras of 400 years, which all have the same days.
int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  int64_t era = floor_divide(year, 400), year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

static Fields civil_from_days(int64_t days) {
  days += 719'468;
  int64_t era = floor_divide(days, 146'097), day_of_era = days - era * 146'097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted = (5 * day_of_year + 2) / 153;
  Fields fields;
  fields.day = day_of_year - (153 * shifted + 2) / 5 + 1;
  fields.month = shifted + (shifted < 10 ? 3 : -9);
  fields.year = year_of_era + era * 400 + (fields.month <= 2);
  return fields;
}

bool is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t days_of_month(int64_t year, int64_t month) {
  constexpr int8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

int64_t weekday_of(int64_t days) {
  constexpr int64_t kThursday = 4;  // 1970-01-01
  int64_t weekday = (days + kThursday) % 7;
  return weekday < 0 ? weekday + 7 : weekday;
}

int64_t seconds_of(const Fields& fields) {
  return days_from_civil(fields.year, fields.month, fields.day) * kDay + fields.hour * 3600 + fields.minute * 60 +
         fields.second;
}

Fields fields_of(int64_t seconds) {
  int64_t days = floor_divide(seconds, kDay), rest = seconds - days * kDay;
  Fields fields = civil_from_days(days);
  fields.hour = rest / 3600;
  fields.minute = rest / 60 % 60;
  fields.second = rest % 60;
  return fields;
}

std::expected<void, std::string> check(const Fields& fields) {
  struct {
    std::string_view name;
    int64_t value, first, last;
  } const kParts[] = {
      {"year", fields.year, 0, 9999}, {"month", fields.month, 1, 12},   {"day", fields.day, 1, 31},
      {"hour", fields.hour, 0, 23},   {"minute", fields.minute, 0, 59}, {"second", fields.second, 0, 59},
  };
  for (auto& part : kParts) {
    if (part.value >= part.first && part.value <= part.last) continue;
    return std::unexpected(fmt::format("Invalid {}: {} (must be {}-{})", part.name, part.value, part.first, part.last));
  }
  if (fields.day <= days_of_month(fields.year, fields.month)) return {};
  return std::unexpected(fmt::format("Invalid date: {}-{:02}-{:02}", fields.year, fields.month, fields.day));
}

std::string_view weekday_name(int64_t weekday) {
  constexpr std::string_view kNames[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return kNames[weekday];
}

std::string_view month_name(int64_t month) {
  constexpr std::string_view kNames[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
  return kNames[month - 1];
}

}  // namespace harn::dates
