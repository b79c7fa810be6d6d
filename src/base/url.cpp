#include "base/url.h"

#include "base/codecs.h"
#include "base/fmt.h"
#include "base/text.h"

namespace harn {

static bool same_without_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return text::ascii_lower(a) == text::ascii_lower(b); });
}

// Cuts off the front up to one of `ends`.
static std::string_view take_until(std::string_view& text, std::string_view ends) {
  std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

// Whatever the scheme is, or when there is none.
static UrlParts split_any(std::string_view url) {
  UrlParts parts;
  if (size_t colon = url.find("://"); colon != std::string_view::npos) {
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 3);
  }
  parts.host = take_until(url, "/?#");
  if (size_t at = parts.host.rfind('@'); at != std::string_view::npos) {
    parts.user_info = parts.host.substr(0, at);
    parts.host.remove_prefix(at + 1);
  }
  parts.path = take_until(url, "?#");
  parts.query = take_until(url, "#");
  parts.fragment = url;
  return parts;
}

std::optional<UrlParts> split_url(std::string_view url) {
  UrlParts parts = split_any(url);
  bool is_http = same_without_case(parts.scheme, "http") || same_without_case(parts.scheme, "https");
  if (!is_http || parts.host.empty()) return std::nullopt;
  return parts;
}

static std::string masked_query(std::string_view query) {
  if (query.size() < 2) return std::string(query);
  std::string out;
  for (std::string_view pair : text::split(query.substr(1), "&")) {
    size_t equals = pair.find('=');
    out += out.empty() ? '?' : '&';
    // A pair without a name may be a secret as a whole.
    out += equals == std::string_view::npos ? "***" : fmt::format("{}=***", pair.substr(0, equals));
  }
  return out;
}

std::string masked_url(std::string_view url) {
  UrlParts parts = split_any(url);
  return fmt::format("{}{}{}{}{}{}", parts.scheme, parts.scheme.empty() ? "" : "://",
                     parts.user_info.empty() ? "" : "***@", parts.host, parts.path, masked_query(parts.query));
}

std::string encoded_url(std::string_view url) {
  std::string out;
  auto parts = split_url(url);
  size_t end = parts ? url.size() - parts->fragment.size() : url.size();
  size_t encode_from = parts && !parts->path.empty()    ? static_cast<size_t>(parts->path.data() - url.data())
                       : parts && !parts->query.empty() ? static_cast<size_t>(parts->query.data() - url.data())
                                                        : end;
  for (size_t i = 0; i < end; ++i) {
    auto byte = static_cast<unsigned char>(url[i]);
    if (i >= encode_from && (byte <= ' ' || byte >= 0x7F)) out += fmt::format("%{:02X}", byte);
    else out += url[i];
  }
  return out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = (text::ascii_lower(c) >= 'a' && text::ascii_lower(c) <= 'z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~").contains(c);
    if (plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string form_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = text[i] == '%' ? codecs::from_hex(text.substr(i + 1, 2)) : codecs::Decoded("");
    if (byte && byte->size() == 1) {
      out += *byte;
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

void add_query(std::string& url, std::string_view name, std::string_view value) {
  std::string fragment;
  if (size_t hash = url.find('#'); hash != std::string::npos) {
    fragment = url.substr(hash);
    url.resize(hash);
  }
  url += url.contains('?') ? '&' : '?';
  url += percent_encoded(name) + "=" + percent_encoded(value) + fragment;
}

bool is_same_origin(std::string_view left, std::string_view right) {
  auto a = split_url(left);
  auto b = split_url(right);
  return a && b && same_without_case(a->scheme, b->scheme) && same_without_case(a->host, b->host);
}

}  // namespace harn
