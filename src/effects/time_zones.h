#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "dates/time_zone.h"

// The zones of the host, by their names of the IANA database: "Europe/Berlin".
//
// They are no effect: like the tables of Unicode they are data that comes with the system (package tzdata) and says nothing
// about the machine or its user, so that no policy asks for them and no recording has them. Each file is read once per
// process, by the first who asks; what was read is never changed or freed. For any thread.
namespace harn::effects {

// Or why not: "unknown timezone 'Mars/Olympus'". UTC is there on every machine.
std::expected<std::shared_ptr<const dates::TimeZone>, std::string> find_time_zone(std::string_view name);

}  // namespace harn::effects
