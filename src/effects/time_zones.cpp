#include "effects/time_zones.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "base/text.h"

namespace harn::effects {

namespace {

constexpr const char* kFolder = "/usr/share/zoneinfo";

using Zone = std::shared_ptr<const dates::TimeZone>;

struct Known {
  Mutex lock;
  std::map<std::string, Zone, std::less<>> zones;
};

Known& known() {
  static Known zones;
  return zones;
}

// Also keeps names from leaving the folder. Beside the zones there are in it the same ones with leap seconds, and
// links to what the host has chosen for itself.
bool is_zone_name(std::string_view name) {
  for (std::string_view other : {"right/", "posix/"}) {
    if (name.starts_with(other)) return false;
  }
  if (name == "localtime" || name == "posixrules") return false;
  auto is_part = [](char c) { return text::is_identifier_part(c) || c == '+' || c == '-' || c == '/'; };
  return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), is_part);
}

std::expected<Zone, std::string> read_zone(std::string_view name) {
  if (name == "UTC") return std::make_shared<dates::TimeZone>(dates::TimeZone::utc());
  auto unknown = std::unexpected(fmt::format("unknown timezone '{}'", name));
  if (!is_zone_name(name)) return unknown;
  std::error_code failed;
  std::filesystem::path path = std::filesystem::path(kFolder) / name;
  if (!std::filesystem::is_directory(kFolder, failed)) {
    return std::unexpected(fmt::format("no time zones on this machine: install tzdata ({} is missing)", kFolder));
  }
  if (!std::filesystem::is_regular_file(path, failed)) return unknown;
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  auto zone = dates::TimeZone::read(bytes);
  if (!zone && !bytes.starts_with("TZif")) return unknown;  // lists of countries and the like
  if (!zone) return std::unexpected(fmt::format("the data of timezone '{}' cannot be used: {}", name, zone.error()));
  return std::make_shared<dates::TimeZone>(std::move(*zone));
}

}  // namespace

std::expected<Zone, std::string> find_time_zone(std::string_view name) {
  std::lock_guard lock(known().lock);
  if (auto found = known().zones.find(name); found != known().zones.end()) return found->second;
  auto zone = read_zone(name);
  if (zone) known().zones.emplace(name, *zone);
  return zone;
}

}  // namespace harn::effects
