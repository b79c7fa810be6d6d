#include "dates/zone_rule.h"

#include <algorithm>

#include "base/text.h"
#include "dates/calendar.h"

namespace harn::dates {

// ---- reading ----

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  // std offset [dst [offset] , change , change]
  bool read(ZoneRule& rule) {
    if (!name(rule.standard_.abbreviation) || !time(rule.standard_.offset, 24)) return false;
    rule.standard_.offset = -rule.standard_.offset;  // POSIX counts west of Greenwich
    if (rest_.empty()) return true;
    LocalTime summer{.offset = rule.standard_.offset + 3600, .is_summer = true, .abbreviation = {}};
    if (!name(summer.abbreviation)) return false;
    if (!rest_.starts_with(',')) {
      if (!time(summer.offset, 24)) return false;
      summer.offset = -summer.offset;
    }
    rule.summer_ = std::move(summer);
    return take(',') && change(rule.to_summer_) && take(',') && change(rule.to_standard_) && rest_.empty();
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // CET, or <+0330>
  bool name(std::string& out) {
    bool is_quoted = take('<');
    size_t end = 0;
    auto is_part = [&](char c) {
      return (text::is_identifier_start(c) && c != '_') || (is_quoted && (text::is_digit(c) || c == '+' || c == '-'));
    };
    while (end < rest_.size() && is_part(rest_[end])) ++end;
    out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return end > 0 && (!is_quoted || take('>'));
  }

  bool number(int64_t& out, int64_t first, int64_t last) {
    size_t digits = 0;
    for (out = 0; digits < rest_.size() && digits < 4 && text::is_digit(rest_[digits]); ++digits) {
      out = out * 10 + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits > 0 && out >= first && out <= last;
  }

  // [+-]hh[:mm[:ss]]
  bool time(int64_t& out, int64_t most_hours) {
    bool is_negative = take('-');
    if (!is_negative) take('+');
    int64_t hours, minutes = 0, seconds = 0;
    if (!number(hours, 0, most_hours)) return false;
    if (take(':') && !number(minutes, 0, 59)) return false;
    if (take(':') && !number(seconds, 0, 59)) return false;
    out = hours * 3600 + minutes * 60 + seconds;
    if (is_negative) out = -out;
    return true;
  }

  // Mm.w.d, Jn or n, and /time
  bool change(ZoneRule::Change& out) {
    using Kind = ZoneRule::Change::Kind;
    if (take('M')) {
      out.kind = Kind::MonthWeekDay;
      bool is_read =
          number(out.month, 1, 12) && take('.') && number(out.week, 1, 5) && take('.') && number(out.day, 0, 6);
      if (!is_read) return false;
    } else if (take('J')) {
      out.kind = Kind::DayWithoutLeap;
      if (!number(out.day, 1, 365)) return false;
    } else {
      out.kind = Kind::DayOfYear;
      if (!number(out.day, 0, 365)) return false;
    }
    return !take('/') || time(out.time, 167);
  }

  std::string_view rest_;
};

std::optional<ZoneRule> ZoneRule::read(std::string_view text) {
  ZoneRule rule;
  if (!RuleReader(text).read(rule)) return std::nullopt;
  return rule;
}

// ---- asking ----

int64_t ZoneRule::Change::seconds_in(int64_t year) const {
  int64_t days = 0;
  switch (kind) {
    case Kind::DayOfYear: days = days_from_civil(year, 1, 1) + day; break;
    // Day 60 is always the first of March.
    case Kind::DayWithoutLeap: days = days_from_civil(year, 1, 1) + day - 1 + (day >= 60 && is_leap_year(year)); break;
    case Kind::MonthWeekDay: {
      int64_t first = days_from_civil(year, month, 1);
      int64_t in_month = (day - weekday_of(first) + 7) % 7 + (week - 1) * 7;
      // The fifth one is the last one, which may be the fourth.
      if (in_month >= days_of_month(year, month)) in_month -= 7;
      days = first + in_month;
      break;
    }
  }
  return days * kDay + time;
}

const LocalTime& ZoneRule::at(int64_t seconds) const {
  if (!summer_) return standard_;
  // Changes are told by the clock on the wall before them. In the south the summer goes over the end of the year.
  int64_t year = fields_of(seconds + standard_.offset).year;
  int64_t start = to_summer_.seconds_in(year) - standard_.offset, end = to_standard_.seconds_in(year) - summer_->offset;
  bool is_summer = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
  return is_summer ? *summer_ : standard_;
}

}  // namespace harn::dates
