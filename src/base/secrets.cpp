#include "base/secrets.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/fmt.h"
#include "base/text.h"

namespace harn {

namespace {

bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

size_t token_length(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_token_char) - text.begin());
}

// A word that begins like this and goes on for so many characters at least is a token.
struct Shape {
  std::string_view name;
  std::string_view start;
  size_t least;
};
constexpr Shape kShapes[] = {
    {"github_fine_grained", "github_pat_", 30},
    {"github", "ghp_", 30},
    {"github", "gho_", 30},
    {"github", "ghu_", 30},
    {"github", "ghs_", 30},
    {"github", "ghr_", 30},
    {"slack", "xoxb-", 10},
    {"slack", "xoxp-", 10},
    {"slack", "xoxa-", 10},
    {"slack", "xoxr-", 10},
    {"slack", "xoxs-", 10},
    {"aws", "AKIA", 16},
    {"openai", "sk-", 20},
    {"stripe", "sk_live_", 10},
    {"stripe", "sk_test_", 10},
    {"gitlab", "glpat-", 15},
    {"npm", "npm_", 30},
};

struct Found {
  std::string_view name;
  size_t length;
};

// header.claims.signature, each in base64url; the header is a JSON object.
std::optional<Found> jwt_at(std::string_view text) {
  if (!text.starts_with("eyJ")) return std::nullopt;
  size_t end = 0;
  for (int part = 0; part < 3; ++part) {
    if (part > 0) {
      if (end >= text.size() || text[end] != '.') return std::nullopt;
      ++end;
    }
    size_t length = token_length(text.substr(end));
    if (length < 4) return std::nullopt;
    end += length;
  }
  return Found{"jwt", end};
}

std::optional<Found> token_at(std::string_view text) {
  for (const Shape& shape : kShapes) {
    if (!text.starts_with(shape.start)) continue;
    size_t length = token_length(text);
    if (length >= shape.start.size() + shape.least) return Found{shape.name, length};
  }
  return jwt_at(text);
}

constexpr std::string_view kBearer = "bearer ";

// What follows `Bearer ` in a header, whatever its shape.
std::optional<Found> bearer_at(std::string_view text) {
  if (text.size() <= kBearer.size()) return std::nullopt;
  for (size_t i = 0; i < kBearer.size(); ++i) {
    if (text::ascii_lower(text[i]) != kBearer[i]) return std::nullopt;
  }
  auto rest = text.substr(kBearer.size());
  size_t length = std::min(rest.find_first_of(" \t\r\n\"',;"), rest.size());
  if (length < 8 || rest.starts_with("<redacted:")) return std::nullopt;
  return Found{"bearer", length};
}

void append_mark(std::string& out, std::string_view name, size_t length) {
  out += fmt::format("<redacted:{}:{}>", name, length);
}

std::string without(std::string_view text, std::string_view value, std::string_view name) {
  std::string out;
  size_t kept = 0;
  for (size_t at; (at = text.find(value, kept)) != text.npos; kept = at + value.size()) {
    out += text.substr(kept, at - kept);
    append_mark(out, name, value.size());
  }
  out += text.substr(kept);
  return out;
}

bool can_begin_token(char c) {
  constexpr std::string_view kFirst = "eghxAsnbB";
  return kFirst.find(c) != kFirst.npos;
}

// Calls `found(at, token)` for each.
template <class Each>
void each_token(std::string_view text, Each each) {
  bool in_word = false;
  for (size_t i = 0; i < text.size(); ++i) {
    bool begins = !in_word && can_begin_token(text[i]);
    in_word = is_token_char(text[i]);
    if (!begins) continue;
    auto rest = text.substr(i);
    size_t skipped = 0;
    auto found = token_at(rest);
    if (!found && (found = bearer_at(rest))) skipped = kBearer.size();
    if (!found) continue;
    each(i + skipped, *found);
    i += skipped + found->length - 1;
    in_word = true;
  }
}

std::string without_tokens(std::string_view text) {
  std::string out;
  size_t kept = 0;  // up to where `text` is in `out`
  each_token(text, [&](size_t at, const Found& found) {
    out += text.substr(kept, at - kept);
    append_mark(out, found.name, found.length);
    kept = at + found.length;
  });
  out += text.substr(kept);
  return out;
}

// -----BEGIN EC PRIVATE KEY----- up to the end of the block, or of the text.
void add_private_keys(std::string_view text, std::vector<Secrets::Token>& out) {
  constexpr std::string_view kBegin = "-----BEGIN ", kKey = "PRIVATE KEY-----", kEnd = "-----END ";
  for (size_t at = 0; (at = text.find(kBegin, at)) != text.npos; ++at) {
    size_t line = std::min(text.find('\n', at), text.size());
    if (text.substr(at, line - at).find(kKey) == text.npos) continue;
    size_t end = text.find(kEnd, line);
    end = end == text.npos ? text.size() : std::min(text.find('\n', end), text.size());
    out.push_back({"private_key", at, end - at});
    at = end - 1;
  }
}

}  // namespace

void Secrets::add(std::string_view name, std::string_view value) {
  if (value.size() < kLeast) return;
  for (const Named& known : named_) {
    if (known.value == value) return;
  }
  auto place =
      std::find_if(named_.begin(), named_.end(), [&](const Named& one) { return one.value.size() < value.size(); });
  named_.insert(place, {std::string(name), std::string(value)});
}

std::string Secrets::hidden(std::string_view text) const {
  std::string out(text);
  for (const Named& secret : named_) {
    if (out.find(secret.value) != out.npos) out = without(out, secret.value, secret.name);
  }
  return without_tokens(out);
}

std::vector<Secrets::Token> Secrets::tokens_in(std::string_view text) {
  std::vector<Token> out;
  add_private_keys(text, out);
  size_t keys = out.size();
  each_token(text, [&](size_t at, const Found& found) {
    // What is in a key is a part of it.
    bool is_in_key = std::any_of(out.begin(), out.begin() + static_cast<ptrdiff_t>(keys),
                                 [&](const Token& key) { return at >= key.at && at < key.at + key.length; });
    if (!is_in_key) out.push_back({found.name, at, found.length});
  });
  std::sort(out.begin(), out.end(), [](const Token& a, const Token& b) { return a.at < b.at; });
  return out;
}

bool Secrets::is_secret_name(std::string_view name) {
  std::string in_lower = text::ascii_lower(name);
  std::replace(in_lower.begin(), in_lower.end(), '-', '_');  // as headers are written: X-Api-Key
  constexpr std::array kParts = {"token",  "secret",      "password",   "passwd",    "api_key",
                                 "apikey", "private_key", "access_key", "credential"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](const char* part) { return in_lower.find(part) != in_lower.npos; });
}

}  // namespace harn
