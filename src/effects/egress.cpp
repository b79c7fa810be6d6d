#include "effects/egress.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "base/fmt.h"
#include "base/text.h"

namespace harn::effects {

namespace {

// The bytes of a numeric address. One of IPv4 that is written as one of IPv6 (`::ffff:10.0.0.1`, and `64:ff9b::10.0.0.1` of
// networks without IPv4) is that of IPv4: it leads to the same place.
std::vector<uint8_t> address_bytes(const std::string& text) {
  uint8_t bytes[16];
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1) return {bytes, bytes + 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes) != 1) return {};
  constexpr uint8_t kSameAsVersion4[][12] = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, {0, 0x64, 0xff, 0x9b}};
  for (auto& prefix : kSameAsVersion4) {
    if (std::equal(prefix, prefix + 12, bytes)) return {bytes + 12, bytes + 16};
  }
  return {bytes, bytes + 16};
}

// What whoever connects reads as an address, though rules do not write it so: `10.1`, `0x0a000001`, `167772161`, `012.0.0.1`.
// With a proxy nobody here sees the address that becomes of it.
std::vector<uint8_t> host_bytes(const std::string& host) {
  std::string text = host.substr(0, host.find('%'));  // behind it the name of a link: "fe80::1%eth0"
  if (text.ends_with('.')) text.pop_back();
  auto bytes = address_bytes(text);
  in_addr address;
  if (!bytes.empty() || inet_aton(text.c_str(), &address) == 0) return bytes;
  auto* first = reinterpret_cast<const uint8_t*>(&address.s_addr);  // in the order of the network
  return {first, first + sizeof address.s_addr};
}

std::optional<int> number_up_to(std::string_view text, int most) {
  int number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0 && number <= most;
  return is_number ? std::optional(number) : std::nullopt;
}

bool is_in_network(const std::vector<uint8_t>& address, const std::vector<uint8_t>& network, int bits) {
  if (address.size() != network.size()) return false;
  for (size_t i = 0; i < address.size() && bits > 0; ++i, bits -= 8) {
    auto mask = static_cast<uint8_t>(bits >= 8 ? 0xff : 0xff << (8 - bits));
    if ((address[i] & mask) != (network[i] & mask)) return false;
  }
  return true;
}

// Cuts the port off: "host:80", "[::1]:80", but not "::1".
std::optional<std::string_view> take_port(std::string_view& text) {
  size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  bool is_after_bracket = colon > 0 && text[colon - 1] == ']';
  if (!is_after_bracket && text.find(':') != colon && text.find('/') > colon) return std::nullopt;
  // In "fe80::/10" there is none; in "fe80::/10:443" it follows the number of bits.
  if (text.find('/', colon) != text.npos) return std::nullopt;
  std::string_view port = text.substr(colon + 1);
  text = text.substr(0, colon);
  return port;
}

std::string without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::string(host);
}

}  // namespace

std::optional<EgressRule> EgressRule::parse(std::string_view text) {
  EgressRule rule;
  text = text::trim(text);
  rule.text_ = text;
  if (auto port = take_port(text)) {
    rule.port_ = number_up_to(*port, 65535);
    if (!rule.port_) return std::nullopt;
  }
  size_t slash = text.find('/');
  std::string host = text::ascii_lower(without_brackets(text.substr(0, slash)));
  rule.network_ = address_bytes(host);
  if (!rule.network_.empty()) {
    int most = static_cast<int>(rule.network_.size()) * 8;
    auto bits = slash == text.npos ? std::optional(most) : number_up_to(text.substr(slash + 1), most);
    if (!bits) return std::nullopt;
    rule.bits_ = *bits;
    return rule;
  }
  if (slash != text.npos) return std::nullopt;
  rule.is_suffix_ = host.starts_with("*.");
  rule.host_ = rule.is_suffix_ ? host.substr(1) : host;
  bool is_name =
      rule.host_.size() > (rule.is_suffix_ ? 1 : 0) && rule.host_.find_first_of("*/ :@[]") == std::string::npos;
  if (!is_name && rule.host_ != "*") return std::nullopt;
  return rule;
}

bool EgressRule::fits(const EgressTarget& target) const {
  if (port_ && *port_ != target.port) return false;
  if (is_of_addresses()) return is_in_network(host_bytes(target.host), network_, bits_);
  if (host_ == "*") return true;
  std::string_view host = target.host;
  if (host.ends_with('.')) host.remove_suffix(1);  // "example.com." is the same host
  return is_suffix_ ? host.ends_with(host_) && host.size() > host_.size() : host == host_;
}

bool EgressRule::fits_address(std::string_view address, int port) const {
  if (!is_of_addresses() || (port_ && *port_ != port)) return false;
  // An address of a link has the link's name behind it: "fe80::1%eth0".
  return is_in_network(address_bytes(std::string(address.substr(0, address.find('%')))), network_, bits_);
}

std::expected<EgressRules, std::string> EgressRules::parse(const EgressTexts& texts, std::string source) {
  EgressRules rules;
  rules.allows_others_ = texts.allows_others;
  rules.texts_ = texts;
  rules.source_ = std::move(source);
  for (auto [from, to] : {std::pair(&texts.allow, &rules.allow_), std::pair(&texts.deny, &rules.deny_)}) {
    for (const std::string& text : *from) {
      auto rule = EgressRule::parse(text);
      if (!rule) return std::unexpected(text);
      to->push_back(*std::move(rule));
    }
  }
  return rules;
}

EgressRules EgressRules::nothing(std::string source) { return *parse({.allows_others = false}, std::move(source)); }

std::optional<std::string> EgressRules::refusal_of(const EgressTarget& target) const {
  auto fits = [&](const EgressRule& rule) { return rule.fits(target); };
  auto denied = std::find_if(deny_.begin(), deny_.end(), fits);
  if (denied != deny_.end()) return fmt::format("denied by rule `{}`", denied->text());
  if (allows_others_ || std::any_of(allow_.begin(), allow_.end(), fits)) return std::nullopt;
  return "no rule allows it";
}

std::optional<std::string> EgressRules::refusal_of_address(const std::string& address, int port) const {
  auto fits = [&](const EgressRule& rule) { return rule.fits_address(address, port); };
  auto denied = std::find_if(deny_.begin(), deny_.end(), fits);
  if (denied == deny_.end()) return std::nullopt;
  return fmt::format("{} is denied by rule `{}`", address, denied->text());
}

}  // namespace harn::effects
