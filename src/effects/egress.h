#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Rules about whom a program may talk to. They are set once for a run of a program, by its environment or by itself, and
// never change afterwards; any thread may ask.
//
//   auto rules = EgressRules::parse({.allow = {"*.example.com", "10.0.0.0/8:5432"}, .deny = {"db.example.com"},
//                                    .allows_others = false}, "program");
//   rules->refusal_of({"api.example.com", 443});     // nothing: it may
//   rules->refusal_of_address("10.0.0.7", 443);
//
// A rule that denies beats one that allows. A host is allowed as it is written in the request: an address does not allow the
// names that lead to it, which would have to be looked up first. What denies an address holds for every connection that
// is made, whatever name was asked for: a name that suddenly means another address does not get around it. With a proxy,
// that is the proxy's address.
namespace harn::effects {

struct EgressTarget {
  std::string host;  // in lower case; an address without brackets
  int port = 0;
};

// A host, `*.suffix`, address or network (CIDR), with a port or for all of them.
class EgressRule {
 public:
  static std::optional<EgressRule> parse(std::string_view text);

  // By the name or the address as it is written in a request.
  bool fits(const EgressTarget& target) const;
  // By the address of a connection.
  bool fits_address(std::string_view address, int port) const;
  bool is_of_addresses() const { return bits_ >= 0; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string host_;  // or what follows the star
  bool is_suffix_ = false;
  std::vector<uint8_t> network_;  // an address: 4 or 16 bytes
  int bits_ = -1;                 // how many of them count; -1: it is a name
  std::optional<int> port_;
};

struct EgressTexts {
  std::vector<std::string> allow, deny;
  bool allows_others = true;  // hosts that no rule names
};

class EgressRules {
 public:
  // Or the rule that makes no sense.
  static std::expected<EgressRules, std::string> parse(const EgressTexts& texts, std::string source);

  // Those that allow no connection at all.
  static EgressRules nothing(std::string source);

  // Why a request may not be made; nothing: it may, as far as names go.
  std::optional<std::string> refusal_of(const EgressTarget& target) const;
  // Why no connection to this address may be made, whatever name was asked for.
  std::optional<std::string> refusal_of_address(const std::string& address, int port) const;
  // As they were given to `parse`.
  const EgressTexts& texts() const { return texts_; }
  // Who has set them: "environment", "program".
  const std::string& source() const { return source_; }

 private:
  std::vector<EgressRule> allow_, deny_;
  bool allows_others_ = true;
  EgressTexts texts_;
  std::string source_;
};

}  // namespace harn::effects
