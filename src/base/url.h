#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

// URLs: what must be known about them before curl is asked, and their parts for programs.
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
// Back, of a query or form: `+` is a space, and what is no escape stays as it is.
std::string form_decoded(std::string_view text);

// A URL in its parts (RFC 3986), as a program wants them: decoded where they are names, as they are written otherwise.
struct Url {
  std::string scheme;  // in lower case
  std::optional<std::string> username, password;
  std::optional<std::string> host;  // in lower case; "[::1]" for an address of IPv6; none: "mailto:a@b"
  std::optional<int> port;
  std::string path;
  std::optional<std::string> query, fragment;

  std::string text() const;
};
// Or why it is none.
std::expected<Url, std::string> parse_url(std::string_view text);

// Adds "name=value" to the query.
void add_query(std::string& url, std::string_view name, std::string_view value);

// Whether both name the same scheme, host and port.
bool is_same_origin(std::string_view left, std::string_view right);

}  // namespace harn
