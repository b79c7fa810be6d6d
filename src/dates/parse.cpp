#include "dates/parse.h"

#include <vector>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"

namespace harn::dates {

namespace {

constexpr int64_t kTooLarge = 1'000'000'000;  // for any part of a date

// What a text says, before anybody has asked whether there is such a day.
struct Told {
  Fields fields;
  int64_t microseconds = 0;
  int64_t offset = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // Y-m-d[ T]H:M[:S[.f]][zone]
  bool read(Told& told) {
    Fields& fields = told.fields;
    if (!number(fields.year, 4) || !take('-') || !number(fields.month, 2) || !take('-') || !number(fields.day, 2)) {
      return false;
    }
    if (rest_.empty()) return true;
    if (!take('T') && !take('t') && !take(' ')) return false;
    if (!number(fields.hour, 2) || !take(':') || !number(fields.minute, 2)) return false;
    if (take(':')) {
      if (!number(fields.second, 2)) return false;
      if (take('.') && !fraction(told.microseconds)) return false;
    }
    return rest_.empty() || (zone(told.offset) && rest_.empty());
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool number(int64_t& out, size_t digits) {
    if (rest_.size() < digits) return false;
    out = 0;
    for (char c : rest_.substr(0, digits)) {
      if (!text::is_digit(c)) return false;
      out = out * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }

  // What is smaller than a microsecond is left out.
  bool fraction(int64_t& out) {
    size_t digits = 0;
    out = 0;
    for (; digits < rest_.size() && text::is_digit(rest_[digits]); ++digits) {
      if (digits < 6) out = out * 10 + (rest_[digits] - '0');
    }
    for (size_t i = digits; i < 6; ++i) out *= 10;
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  // Z, +01:00, +0100
  bool zone(int64_t& offset) {
    if (take('Z') || take('z')) return true;
    bool is_west = take('-');
    if (!is_west && !take('+')) return false;
    int64_t hours, minutes;
    if (!number(hours, 2)) return false;
    take(':');
    if (!number(minutes, 2) || hours > 23 || minutes > 59) return false;
    offset = hours * 3600 + minutes * 60;
    if (is_west) offset = -offset;
    return true;
  }

  std::string_view rest_;
};

bool read_groups(std::string_view text, Told& told) {
  std::vector<int64_t> groups;
  for (size_t at = 0; at < text.size() && groups.size() <= 6;) {
    if (!text::is_digit(text[at])) {
      ++at;
      continue;
    }
    int64_t number = 0;
    for (; at < text.size() && text::is_digit(text[at]); ++at) {
      if (number < kTooLarge) number = number * 10 + (text[at] - '0');
    }
    if (number >= kTooLarge) return false;
    groups.push_back(number);
  }
  if (groups.size() < 3 || groups.size() > 6) return false;
  groups.resize(6);
  told = {.fields = {groups[0], groups[1], groups[2], groups[3], groups[4], groups[5]}};
  return true;
}

}  // namespace

std::expected<Instant, std::string> parse(std::string_view text) {
  std::string_view trimmed = text::trim(text);
  Told told;
  if (!Reader(trimmed).read(told)) {
    told = {};
    if (!read_groups(trimmed, told)) return std::unexpected(fmt::format("Cannot parse date: {}", text));
  }
  HARN_CHECK(check(told.fields));
  return Instant{(seconds_of(told.fields) - told.offset) * 1'000'000 + told.microseconds};
}

}  // namespace harn::dates
