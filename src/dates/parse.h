#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "dates/calendar.h"

namespace harn::dates {

// The instant that a text tells: RFC 3339, the same without a zone or without seconds (UTC), a date alone, or else three to
// six numbers with anything between them, from year to second. Or what is wrong: "Cannot parse date: soon".
std::expected<Instant, std::string> parse(std::string_view text);

}  // namespace harn::dates
