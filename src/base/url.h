#pragma once

#include <optional>
#include <string>
#include <string_view>

// The little that must be known about URLs before curl is asked.
namespace harn {

// The parts of an http or https URL, as they are written.
struct UrlParts {
  std::string_view scheme;     // without "://"
  std::string_view user_info;  // "user:password"; empty: none
  std::string_view host;       // with its port
  std::string_view path;       // starts with "/", or is empty
  std::string_view query;      // starts with "?", or is empty
  std::string_view fragment;   // starts with "#", or is empty
};
std::optional<UrlParts> split_url(std::string_view url);

// For messages: "https://***@host/path?key=***". Works on any text that looks a little like a URL.
std::string masked_url(std::string_view url);

// The URL with spaces and bytes outside ASCII encoded, and without a fragment.
std::string encoded_url(std::string_view url);

// Everything but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

// Adds "name=value" to the query.
void add_query(std::string& url, std::string_view name, std::string_view value);

// Whether both name the same scheme, host and port.
bool is_same_origin(std::string_view left, std::string_view right);

}  // namespace harn
