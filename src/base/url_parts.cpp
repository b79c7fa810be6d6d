#include <algorithm>
#include <charconv>

#include "base/fmt.h"
#include "base/text.h"
#include "base/url.h"

namespace harn {

namespace {

bool is_letter(char c) { return text::ascii_lower(c) >= 'a' && text::ascii_lower(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (char c : text) {
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
  }
  return true;
}

// Takes what follows `mark` off the end of `text`.
std::optional<std::string> take_after(std::string_view& text, char mark) {
  size_t at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  std::string after(text.substr(at + 1));
  text = text.substr(0, at);
  return after;
}

using Mistake = std::optional<std::string>;

Mistake read_port(Url& url, std::string_view text) {
  if (text.empty()) return std::nullopt;
  int port = -1;
  auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  bool is_port = read.ec == std::errc() && read.ptr == text.data() + text.size() && port >= 0 && port <= 65535;
  if (!is_port) return fmt::format("`{}` is not a port", text);
  url.port = port;
  return std::nullopt;
}

Mistake read_host(Url& url, std::string_view text) {
  size_t end = text.starts_with('[') ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == text.npos) return "the address in `[` has no `]`";
  if (text.starts_with('[')) ++end;
  url.host = text::ascii_lower(text.substr(0, end));
  for (char c : *url.host) {
    if (static_cast<uint8_t>(c) <= ' ' || c == '<' || c == '>' || c == '\\' || c == '^' || c == '|') {
      return "the host has a character that none may have";
    }
  }
  std::string_view rest = text.substr(end);
  if (rest.empty()) return std::nullopt;
  if (rest[0] != ':') return "something follows the address";
  return read_port(url, rest.substr(1));
}

Mistake read_authority(Url& url, std::string_view text) {
  size_t at = text.rfind('@');
  if (at != text.npos) {
    std::string_view user = text.substr(0, at);
    url.password = take_after(user, ':');
    url.username = std::string(user);
    text = text.substr(at + 1);
  }
  return read_host(url, text);
}

}  // namespace

std::expected<Url, std::string> parse_url(std::string_view text) {
  Url url;
  size_t colon = text.find(':');
  if (colon == text.npos || !is_scheme(text.substr(0, colon)))
    return std::unexpected("it has no scheme, such as `https:`");
  url.scheme = text::ascii_lower(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  url.fragment = take_after(rest, '#');
  url.query = take_after(rest, '?');
  bool is_web = url.scheme == "http" || url.scheme == "https" || url.scheme == "ws" || url.scheme == "wss";
  if (rest.starts_with("//")) {
    rest = rest.substr(2);
    size_t slash = std::min(rest.find('/'), rest.size());
    if (auto mistake = read_authority(url, rest.substr(0, slash))) return std::unexpected(*mistake);
    rest = rest.substr(slash);
  }
  if (is_web && (!url.host || url.host->empty())) return std::unexpected("it has no host");
  url.path = is_web && rest.empty() ? "/" : std::string(rest);
  return url;
}

std::string Url::text() const {
  std::string out = scheme + ":";
  if (host) {
    out += "//";
    if (username) out += *username;
    if (password) out += ":" + *password;
    if (username || password) out += "@";
    out += *host;
    if (port) out += fmt::format(":{}", *port);
    if (!path.empty() && !path.starts_with('/')) out += "/";
  }
  out += path;
  if (query && !query->empty()) out += (query->starts_with('?') ? "" : "?") + *query;
  if (fragment && !fragment->empty()) out += (fragment->starts_with('#') ? "" : "#") + *fragment;
  return out;
}

}  // namespace harn
