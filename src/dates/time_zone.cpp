// Zone files list changes up to some year and then have a rule (zone_rule.h). Both kinds of data are in the file twice: with
// times of 32 bits for old readers, and again with 64. Only the second is read where there is one.
#include "dates/time_zone.h"

#include <algorithm>

#include "base/result.h"

namespace harn::dates {

class ZoneReader {
 public:
  explicit ZoneReader(std::string_view bytes) : rest_(bytes) {}

  std::expected<TimeZone, std::string> read() {
    Header header = HARN_TRY(read_header());
    if (header.version == '\0') {
      HARN_CHECK(read_block(header, 4));
    } else {
      HARN_CHECK(skip(header.size(4)));
      header = HARN_TRY(read_header());
      HARN_CHECK(read_block(header, 8));
      HARN_CHECK(read_rule());
    }
    collect_offsets();
    return std::move(zone_);
  }

 private:
  using Done = std::expected<void, std::string>;

  static std::unexpected<std::string> wrong(std::string_view why) { return std::unexpected(std::string(why)); }
  static std::unexpected<std::string> too_short() { return wrong("the file ends too early"); }

  struct Header {
    char version;
    uint32_t universal, standard, leaps, changes, types, characters;
    // Of the block behind it. The counts have been read from 32 bits each: no sum of them wraps around.
    uint64_t size(uint64_t time) const {
      return changes * (time + 1) + types * uint64_t{6} + characters + leaps * (time + 4) + standard + universal;
    }
  };

  int64_t big_endian(size_t at, size_t bytes) const {
    uint64_t number = static_cast<int8_t>(rest_[at]) < 0 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < bytes; ++i) number = number << 8 | static_cast<uint8_t>(rest_[at + i]);
    return static_cast<int64_t>(number);
  }

  Done skip(uint64_t bytes) {
    if (bytes > rest_.size()) return too_short();
    rest_.remove_prefix(bytes);
    return {};
  }

  std::expected<Header, std::string> read_header() {
    constexpr size_t kSize = 44;
    if (!rest_.starts_with("TZif")) return wrong("it is no zone file");
    if (rest_.size() < kSize) return too_short();
    Header header;
    header.version = rest_[4];
    uint32_t* const counts[] = {&header.universal, &header.standard, &header.leaps,
                                &header.changes,   &header.types,    &header.characters};
    for (size_t i = 0; i < std::size(counts); ++i) *counts[i] = static_cast<uint32_t>(big_endian(20 + 4 * i, 4));
    rest_.remove_prefix(kSize);
    if (header.leaps != 0) return wrong("it counts leap seconds");
    if (header.types == 0 || header.types > 256) return wrong("it has no types, or too many");
    return header;
  }

  // Times of changes, the type that each begins, the types, and their names.
  Done read_block(const Header& header, size_t time) {
    if (header.size(time) > rest_.size()) return too_short();
    for (uint32_t i = 0; i < header.changes; ++i) zone_.changes_.push_back(big_endian(i * time, time));
    if (!std::is_sorted(zone_.changes_.begin(), zone_.changes_.end())) return wrong("its changes are not in order");
    rest_.remove_prefix(header.changes * time);
    for (uint32_t i = 0; i < header.changes; ++i) {
      zone_.types_.push_back(static_cast<uint8_t>(rest_[i]));
      if (zone_.types_.back() >= header.types) return wrong("a change has no type");
    }
    rest_.remove_prefix(header.changes);
    std::string_view names = rest_.substr(header.types * size_t{6}, header.characters);
    for (uint32_t i = 0; i < header.types; ++i) HARN_CHECK(read_type(i * size_t{6}, names));
    rest_.remove_prefix(header.types * size_t{6} + header.characters + header.standard + header.universal);
    return {};
  }

  Done read_type(size_t at, std::string_view names) {
    int64_t offset = big_endian(at, 4);
    size_t name = static_cast<uint8_t>(rest_[at + 5]), end = names.find('\0', name);
    if (end == names.npos) return wrong("a type has no name");
    // RFC 8536: 25 and 26 hours are the most that a reader has to expect.
    if (offset <= -25 * 3600 || offset >= 26 * 3600) return wrong("an offset is more than a day");
    zone_.times_.push_back({.offset = offset,
                            .is_summer = rest_[at + 4] != 0,
                            .abbreviation = std::string(names.substr(name, end - name))});
    return {};
  }

  // A line of its own, which may be empty.
  Done read_rule() {
    size_t end = rest_.find('\n', 1);
    if (!rest_.starts_with('\n') || end == rest_.npos) return too_short();
    std::string_view rule = rest_.substr(1, end - 1);
    if (rule.empty()) return {};
    zone_.rule_ = ZoneRule::read(rule);
    return zone_.rule_ ? Done() : wrong("its last rule cannot be read");
  }

  void collect_offsets() {
    for (const LocalTime& time : zone_.times_) zone_.offsets_.push_back(time.offset);
    if (zone_.rule_) {
      zone_.offsets_.push_back(zone_.rule_->standard().offset);
      if (auto summer = zone_.rule_->summer()) zone_.offsets_.push_back(summer->offset);
    }
    std::sort(zone_.offsets_.begin(), zone_.offsets_.end());
    zone_.offsets_.erase(std::unique(zone_.offsets_.begin(), zone_.offsets_.end()), zone_.offsets_.end());
  }

  std::string_view rest_;
  TimeZone zone_;
};

std::expected<TimeZone, std::string> TimeZone::read(std::string_view bytes) { return ZoneReader(bytes).read(); }

TimeZone TimeZone::utc() {
  TimeZone zone;
  zone.times_.push_back({.offset = 0, .is_summer = false, .abbreviation = "UTC"});
  zone.offsets_.push_back(0);
  return zone;
}

const LocalTime& TimeZone::at(int64_t seconds) const {
  size_t behind = std::upper_bound(changes_.begin(), changes_.end(), seconds) - changes_.begin();
  if (behind == changes_.size() && rule_) return rule_->at(seconds);
  return behind == 0 ? times_[0] : times_[types_[behind - 1]];
}

// An instant shows `local` exactly when the offset there leads to it. A zone has had a handful of offsets, so all are tried.
std::vector<int64_t> TimeZone::instants_of(int64_t local) const {
  std::vector<int64_t> found;
  for (auto offset = offsets_.rbegin(); offset != offsets_.rend(); ++offset) {
    if (at(local - *offset).offset == *offset) found.push_back(local - *offset);
  }
  return found;
}

}  // namespace harn::dates
