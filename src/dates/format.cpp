#include "dates/format.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"

namespace harn::dates {

namespace {

int64_t hour_of_twelve(int64_t hour) { return hour % 12 == 0 ? 12 : hour % 12; }

std::string offset_text(int64_t offset, std::string_view separator, bool with_seconds) {
  char sign = offset < 0 ? '-' : '+';
  if (offset < 0) offset = -offset;
  std::string out = fmt::format("{}{:02}{}{:02}", sign, offset / 3600, separator, offset / 60 % 60);
  if (with_seconds) out += fmt::format("{}{:02}", separator, offset % 60);
  return out;
}

// Writes by a format, which may use other formats: `%T` is `%H:%M:%S`.
class Writer {
 public:
  explicit Writer(const Shown& date)
      : date_(date),
        fields_(date.fields()),
        days_(days_from_civil(fields_.year, fields_.month, fields_.day)),
        weekday_(weekday_of(days_)),
        day_of_year_(days_ - days_from_civil(fields_.year, 1, 1)) {}

  std::expected<std::string, std::string> write(std::string_view codes) {
    while (!codes.empty()) {
      if (codes.front() != '%') {
        size_t end = std::min(codes.find('%'), codes.size());
        out_ += codes.substr(0, end);
        codes.remove_prefix(end);
        continue;
      }
      size_t size = code_size(codes);
      if (size == 0 || !write_code(codes.substr(1, size - 1))) {
        size_t shown = std::min(codes.size(), std::max<size_t>(size, 1) + (size == 0));
        return std::unexpected(fmt::format("unknown format code `{}`", text::to_valid_utf8(codes.substr(0, shown))));
      }
      codes.remove_prefix(size);
    }
    return std::move(out_);
  }

 private:
  // `%`, what may stand before the letter, and the letter; 0 when that is missing.
  static size_t code_size(std::string_view codes) {
    size_t at = codes.find_first_not_of("-_0.:123456789", 1);
    return at == codes.npos ? 0 : at + text::char_size(codes, at);
  }

  bool write_code(std::string_view code) {
    if (code == "+") {
      out_ += rfc3339(date_);
      return true;
    }
    if (code.ends_with('f')) return write_fraction(code.substr(0, code.size() - 1));
    if (code.ends_with('z')) return write_offset(code.substr(0, code.size() - 1));
    char flag = '\0';
    if (code.size() == 2 && (code[0] == '-' || code[0] == '_' || code[0] == '0')) {
      flag = code[0];
      code.remove_prefix(1);
    }
    if (code.size() != 1) return false;
    return write_number(code[0], flag) || (flag == '\0' && write_text(code[0]));
  }

  bool write_number(char letter, char flag) {
    struct {
      char letter;
      int width;
      char fill;
      int64_t value;
    } const kNumbers[] = {
        {'Y', 4, '0', fields_.year},
        {'C', 2, '0', fields_.year / 100},
        {'y', 2, '0', fields_.year % 100},
        {'m', 2, '0', fields_.month},
        {'d', 2, '0', fields_.day},
        {'e', 2, ' ', fields_.day},
        {'H', 2, '0', fields_.hour},
        {'k', 2, ' ', fields_.hour},
        {'I', 2, '0', hour_of_twelve(fields_.hour)},
        {'l', 2, ' ', hour_of_twelve(fields_.hour)},
        {'M', 2, '0', fields_.minute},
        {'S', 2, '0', fields_.second},
        {'j', 3, '0', day_of_year_ + 1},
        {'U', 2, '0', (day_of_year_ + 7 - weekday_) / 7},
        {'W', 2, '0', (day_of_year_ + 7 - (weekday_ + 6) % 7) / 7},
        {'V', 2, '0', iso_week()},
        {'G', 4, '0', iso_year()},
        {'g', 2, '0', iso_year() % 100},
        {'u', 1, '0', weekday_ == 0 ? 7 : weekday_},
        {'w', 1, '0', weekday_},
        {'s', 1, '0', date_.instant.seconds()},
    };
    for (auto& number : kNumbers) {
      if (number.letter != letter) continue;
      int width = flag == '-' ? 1 : number.width;
      char fill = flag == '_' ? ' ' : flag == '0' ? '0' : number.fill;
      out_ += fill == ' ' ? fmt::format("{:{}}", number.value, width) : fmt::format("{:0{}}", number.value, width);
      return true;
    }
    return false;
  }

  bool write_text(char letter) {
    switch (letter) {
      case 'a': out_ += weekday_name(weekday_).substr(0, 3); return true;
      case 'A': out_ += weekday_name(weekday_); return true;
      case 'b':
      case 'h': out_ += month_name(fields_.month).substr(0, 3); return true;
      case 'B': out_ += month_name(fields_.month); return true;
      case 'p': out_ += fields_.hour < 12 ? "AM" : "PM"; return true;
      case 'P': out_ += fields_.hour < 12 ? "am" : "pm"; return true;
      case 'Z': out_ += date_.place.abbreviation; return true;
      case 'n': out_ += '\n'; return true;
      case 't': out_ += '\t'; return true;
      case '%': out_ += '%'; return true;
      case 'D':
      case 'x': return write_codes("%m/%d/%y");
      case 'F': return write_codes("%Y-%m-%d");
      case 'v': return write_codes("%e-%b-%Y");
      case 'R': return write_codes("%H:%M");
      case 'T':
      case 'X': return write_codes("%H:%M:%S");
      case 'r': return write_codes("%I:%M:%S %p");
      case 'c': return write_codes("%a %b %e %H:%M:%S %Y");
      default: return false;
    }
  }

  bool write_codes(std::string_view codes) {
    for (size_t at = 0; at < codes.size(); ++at) {
      if (codes[at] == '%') write_code(codes.substr(++at, 1));
      else out_ += codes[at];
    }
    return true;
  }

  // `%f` is nine digits, `%3f` three; with a dot before them only where there is a fraction, unless their number is given.
  bool write_fraction(std::string_view how) {
    bool has_dot = how.starts_with('.');
    if (has_dot) how.remove_prefix(1);
    std::string digits = fmt::format("{:06}000", date_.instant.fraction());
    if (how.empty()) {
      if (!has_dot) out_ += digits;
      else if (date_.instant.fraction() != 0) out_ += "." + digits.substr(0, date_.instant.fraction() % 1000 ? 6 : 3);
      return true;
    }
    if (how != "3" && how != "6" && how != "9") return false;
    if (has_dot) out_ += '.';
    out_ += digits.substr(0, how[0] - '0');
    return true;
  }

  bool write_offset(std::string_view how) {
    if (how.find_first_not_of(':') != how.npos || how.size() > 2) return false;
    out_ += offset_text(date_.place.offset, how.empty() ? "" : ":", how.size() == 2);
    return true;
  }

  // Weeks begin on Monday, and the first one of a year is that with its first Thursday.
  int64_t thursday() const { return days_ - (weekday_ + 6) % 7 + 3; }
  int64_t iso_year() const { return fields_of(thursday() * kDay).year; }
  int64_t iso_week() const { return (thursday() - days_from_civil(iso_year(), 1, 1)) / 7 + 1; }

  const Shown& date_;
  Fields fields_;
  int64_t days_;
  int64_t weekday_;
  int64_t day_of_year_;  // from 0
  std::string out_;
};

}  // namespace

std::expected<std::string, std::string> format(const Shown& date, std::string_view codes) {
  return Writer(date).write(codes);
}

std::string rfc3339(const Shown& date) {
  int64_t offset = date.place.offset, rest = offset % 60;
  offset -= rest;
  if (rest >= 30) offset += 60;
  if (rest <= -30) offset -= 60;
  LocalTime place{.offset = offset, .is_summer = false, .abbreviation = {}};
  return *format({date.instant, place}, "%Y-%m-%dT%H:%M:%S%.f%:z");
}

std::string utc_text(Instant instant) {
  LocalTime utc;
  return *format({instant, utc}, "%Y-%m-%dT%H:%M:%S%.3fZ");
}

}  // namespace harn::dates
