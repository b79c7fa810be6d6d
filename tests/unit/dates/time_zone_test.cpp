#include "dates/time_zone.h"

#include <gtest/gtest.h>

#include "dates/calendar.h"
#include "dates/zone_rule.h"

namespace harn::dates {
namespace {

int64_t utc(int64_t year, int64_t month, int64_t day, int64_t hour = 0, int64_t minute = 0) {
  return seconds_of({year, month, day, hour, minute, 0});
}

TEST(Calendar, DaysAndFieldsAreEachOthersOpposite) {
  for (int64_t days = -800'000; days < 3'000'000; days += 37) {
    Fields fields = fields_of(days * kDay + 86'399);
    EXPECT_EQ(days_from_civil(fields.year, fields.month, fields.day), days);
    EXPECT_EQ(fields.hour, 23);
  }
  EXPECT_EQ(seconds_of({0, 1, 1, 0, 0, 0}), Instant::kFirstSecond);
  EXPECT_EQ(seconds_of({9999, 12, 31, 23, 59, 59}), Instant::kLastSecond);
}

TEST(ZoneRule, NorthernAndSouthernSummers) {
  auto berlin = ZoneRule::read("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(berlin);
  EXPECT_EQ(berlin->at(utc(2050, 3, 27, 0, 59)).abbreviation, "CET");
  EXPECT_EQ(berlin->at(utc(2050, 3, 27, 1)).abbreviation, "CEST");
  EXPECT_EQ(berlin->at(utc(2050, 10, 30, 0, 59)).offset, 7200);
  EXPECT_EQ(berlin->at(utc(2050, 10, 30, 1)).offset, 3600);
  auto sydney = ZoneRule::read("AEST-10AEDT,M10.1.0,M4.1.0/3");
  ASSERT_TRUE(sydney);
  EXPECT_TRUE(sydney->at(utc(2050, 1, 1)).is_summer);
  EXPECT_FALSE(sydney->at(utc(2050, 7, 1)).is_summer);
}

TEST(ZoneRule, TimesBeforeAndBehindTheDay) {
  // Greenland changes at the same instant as Europe, which is the evening before there.
  auto nuuk = ZoneRule::read("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
  ASSERT_TRUE(nuuk);
  EXPECT_EQ(nuuk->at(utc(2050, 3, 27, 0, 59)).abbreviation, "-02");
  EXPECT_EQ(nuuk->at(utc(2050, 3, 27, 1)).offset, -3600);
  auto always = ZoneRule::read("EST5EDT,0/0,J365/25");
  ASSERT_TRUE(always);
  for (int month = 1; month <= 12; ++month) EXPECT_TRUE(always->at(utc(2050, month, 1, 12)).is_summer);
}

TEST(ZoneRule, WhatIsNone) {
  for (const char* text : {"", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-99", "<CET-1",
                           "CET-1CEST,M3.5.0,M10.5.0,", "CET-1 ", "CET-1CEST,J0,J1"}) {
    EXPECT_FALSE(ZoneRule::read(text)) << text;
  }
}

std::string number(int64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string block(char version, int time_size, const std::vector<int64_t>& times) {
  std::string out = std::string("TZif") + version + std::string(15, '\0');
  out += number(0, 4) + number(0, 4) + number(0, 4) + number(times.size(), 4) + number(2, 4) + number(8, 4);
  for (int64_t time : times) out += number(time, time_size);
  for (size_t i = 0; i < times.size(); ++i) out += static_cast<char>((i + 1) % 2);
  out += number(3600, 4) + std::string("\0\0", 2) + number(7200, 4) + std::string("\1\4", 2);
  return out + std::string("CET\0SUM\0", 8);
}

TEST(TimeZone, ChangesThenRule) {
  std::string bytes = block('2', 4, {}) + block('2', 8, {1000, 5000}) + "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  auto zone = TimeZone::read(bytes);
  ASSERT_TRUE(zone) << zone.error();
  EXPECT_EQ(zone->at(999).offset, 3600);
  EXPECT_EQ(zone->at(1000).abbreviation, "SUM");
  EXPECT_EQ(zone->at(utc(2030, 7, 1)).abbreviation, "CEST");
  // Clocks go from 4600 to 8200 at 1000, and from 12200 back to 8600 at 5000.
  EXPECT_TRUE(zone->instants_of(5000).empty());
  EXPECT_EQ(zone->instants_of(9000), (std::vector<int64_t>{1800, 5400}));
  EXPECT_EQ(zone->instants_of(100), (std::vector<int64_t>{-3500}));
}

TEST(TimeZone, TheOldestVersionHasNoRule) {
  auto zone = TimeZone::read(block('\0', 4, {-1000, 5000}));
  ASSERT_TRUE(zone) << zone.error();
  EXPECT_EQ(zone->at(0).offset, 7200);
  EXPECT_EQ(zone->at(utc(2030, 7, 1)).offset, 3600);
}

TEST(TimeZone, EveryShortenedOrChangedFileIsAnErrorOrAZone) {
  std::string bytes = block('2', 4, {}) + block('2', 8, {1000, 5000}) + "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(TimeZone::read(bytes.substr(0, size)));
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = '\xff';
    if (auto zone = TimeZone::read(changed)) zone->at(3000);
  }
}

}  // namespace
}  // namespace harn::dates
