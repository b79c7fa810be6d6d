// Cookies, and sessions that are kept in them.
#include <algorithm>
#include <array>
#include <map>

#include "base/codecs.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/signed_text.h"
#include "builtins/stored_json.h"
#include "crypto/digest.h"
#include "data/json.h"

namespace harn::builtins {
namespace {

using namespace vm;

// ---- what may be in one (RFC 6265) ----

bool is_name(std::string_view name) {
  constexpr std::string_view kSeparators = "()<>@,;:\\\"/[]?={} \t";
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [&](char c) { return c > ' ' && c < 0x7F && !kSeparators.contains(c); });
}

bool is_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\'; });
}

// ---- reading a request's ----

struct Cookies {
  std::vector<std::pair<std::string, std::string>> pairs;  // in the order they came in
  struct Invalid {
    std::string segment;
    std::string_view reason;
  };
  std::vector<Invalid> invalid;

  // The first of a name counts.
  const std::string* find(std::string_view name) const {
    auto found = std::find_if(pairs.begin(), pairs.end(), [&](auto& pair) { return pair.first == name; });
    return found == pairs.end() ? nullptr : &found->second;
  }
};

void read_header(Cookies& cookies, std::string_view header) {
  for (std::string_view part : text::split(header, ";")) {
    std::string_view segment = text::trim(part);
    if (segment.empty()) continue;
    size_t equals = segment.find('=');
    auto refuse = [&](std::string_view why) { cookies.invalid.push_back({std::string(segment), why}); };
    if (equals == segment.npos) {
      refuse("missing '='");
      continue;
    }
    std::string_view name = text::trim(segment.substr(0, equals)), value = text::trim(segment.substr(equals + 1));
    bool is_quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
    if (is_quoted) value = value.substr(1, value.size() - 2);
    if (!is_name(name)) refuse("invalid name");
    else if (!is_value(value)) refuse("invalid value");
    else cookies.pairs.emplace_back(name, value);
  }
}

std::unexpected<Thrown> no_headers(const Call& call, const Value& value) {
  return type_error("{}: expected a header, a list or a dict of headers, got {}", call.row().name, type_name(value));
}

// One header's text, or several.
Outcome<void> read_texts(const Call& call, Cookies& cookies, const Value& value) {
  if (value.is_string()) {
    read_header(cookies, display(value));
    return {};
  }
  if (!value.is(Kind::List)) return no_headers(call, value);
  for (const Value& item : value.as_list()->values()) {
    step();
    if (!item.is_string()) return no_headers(call, item);
    read_header(cookies, display(item));
  }
  return {};
}

// The same, or all headers of a request, or none.
Outcome<void> read_headers(const Call& call, Cookies& cookies, const Value& headers) {
  if (headers.is_nil()) return {};
  if (!headers.is_dict()) return read_texts(call, cookies, headers);
  for (auto [key, value] : headers.as_dict()->entries()) {
    if (text::ascii_lower(key->view()) == "cookie") HARN_CHECK(read_texts(call, cookies, *value));
  }
  return {};
}

Outcome<Value> cookie_parse(Call& call) {
  Cookies cookies;
  HARN_CHECK(read_headers(call, cookies, call.arg(0)));
  DictBuilder first, repeated;
  auto pairs = new_list(), invalid = new_list();
  std::map<std::string_view, std::vector<std::string_view>> values;
  for (auto& [name, value] : cookies.pairs) {
    pairs->push(DictBuilder().add("name", text_value(name)).add("value", text_value(value)).done());
    values[name].push_back(value);
  }
  for (auto& [name, all] : values) {
    first.add(name, text_value(all[0]));
    if (all.size() == 1) continue;
    auto list = new_list();
    for (std::string_view value : all) list->push(text_value(value));
    repeated.add(name, Value(std::move(list)));
  }
  for (auto& one : cookies.invalid) {
    invalid->push(DictBuilder().add("segment", text_value(one.segment)).add("reason", text_value(one.reason)).done());
  }
  return DictBuilder()
      .add("cookies", first.done())
      .add("pairs", Value(std::move(pairs)))
      .add("duplicates", repeated.done())
      .add("invalid", Value(std::move(invalid)))
      .done();
}

// ---- writing a response's ----

struct Attributes {
  std::optional<std::string> path, domain, max_age, expires, same_site;
  bool http_only = false, secure = false;
};

// `max_age` and `Max-Age` are the same option.
std::string plain_key(std::string_view key) {
  std::string out;
  for (char c : text::ascii_lower(key)) {
    if (c != '_' && c != '-') out += c;
  }
  return out;
}

Outcome<void> read_attributes(const Call& call, Attributes& to, const Value& options) {
  if (options.is_nil()) return {};
  if (!options.is_dict()) {
    return type_error("{}: expected a dict of options, got {}", call.row().name, type_name(options));
  }
  for (auto [name, value] : options.as_dict()->entries()) {
    std::string key = plain_key(name->view());
    auto text = value->is_nil() ? std::nullopt : std::optional(display(*value));
    if (key == "path") to.path = text;
    else if (key == "domain") to.domain = text;
    else if (key == "maxage") to.max_age = text;
    else if (key == "expires") to.expires = text;
    else if (key == "samesite") to.same_site = text;
    else if (key == "httponly") to.http_only = truthy(*value);
    else if (key == "secure") to.secure = truthy(*value);
    else return runtime_error(ErrorKind::Invalid, "cookie: there is no option `{}`", name->view());
  }
  return {};
}

// What ends an attribute, or a header, must not be in one.
bool is_attribute(const std::optional<std::string>& text) {
  return !text || std::none_of(text->begin(), text->end(),
                               [](char c) { return static_cast<uint8_t>(c) < ' ' || c == ';' || c == 0x7F; });
}

Outcome<Value> serialize(std::string_view name, std::string_view value, const Attributes& attributes) {
  if (!is_name(name)) {
    return runtime_error(ErrorKind::Invalid, "cookie: cookie name is empty or contains invalid characters");
  }
  if (!is_value(value)) {
    return runtime_error(ErrorKind::Invalid,
                         "cookie: cookie value contains spaces, quotes, separators, or control characters; encode it "
                         "first");
  }
  for (auto* part : {&attributes.path, &attributes.domain, &attributes.expires}) {
    if (!is_attribute(*part)) {
      return runtime_error(ErrorKind::Invalid,
                           "cookie: path, domain and expires must not contain `;` or control "
                           "characters");
    }
  }
  std::string out = fmt::format("{}={}", name, value);
  if (attributes.path) out += "; Path=" + *attributes.path;
  if (attributes.domain) out += "; Domain=" + *attributes.domain;
  if (attributes.max_age) {
    const std::string& age = *attributes.max_age;
    bool is_number = !age.empty() && age.find_first_not_of("0123456789", age[0] == '-') == age.npos && age != "-";
    if (!is_number) return runtime_error(ErrorKind::Invalid, "cookie: max_age must be an int, got {}", age);
    out += "; Max-Age=" + age;
  }
  if (attributes.expires) out += "; Expires=" + *attributes.expires;
  if (attributes.http_only) out += "; HttpOnly";
  if (attributes.secure) out += "; Secure";
  if (attributes.same_site) {
    constexpr std::array<std::string_view, 3> kKinds = {"Lax", "Strict", "None"};
    auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](std::string_view one) {
      return text::ascii_lower(one) == text::ascii_lower(*attributes.same_site);
    });
    if (kind == kKinds.end()) {
      return runtime_error(ErrorKind::Invalid, "cookie: same_site must be one of Lax, Strict, or None");
    }
    if (*kind == "None" && !attributes.secure) {
      return runtime_error(ErrorKind::Invalid, "cookie: SameSite=None requires Secure");
    }
    out += fmt::format("; SameSite={}", *kind);
  }
  return text_value(out);
}

const Attributes kSession = {.path = "/", .same_site = "Lax", .http_only = true, .secure = true};

Outcome<Value> cookie_serialize(Call& call) {
  Attributes attributes;
  HARN_CHECK(read_attributes(call, attributes, call.arg(2)));
  return serialize(HARN_TRY(call.text(0)), display(call.arg(1)), attributes);
}

Outcome<Value> cookie_delete(Call& call) {
  Attributes attributes = kSession;
  HARN_CHECK(read_attributes(call, attributes, call.arg(1)));
  attributes.max_age = "0";
  attributes.expires = "Thu, 01 Jan 1970 00:00:00 GMT";
  return serialize(HARN_TRY(call.text(0)), "", attributes);
}

// ---- signed values ----

Value verdict(std::string_view name, Value found, std::string_view error) {
  return DictBuilder()
      .add("ok", Value::boolean(error.empty()))
      .add(name, std::move(found))
      .add("error", error.empty() ? Value() : text_value(error))
      .done();
}

Outcome<Value> cookie_sign(Call& call) {
  auto value = HARN_TRY(call.text(0));
  return text_value(fmt::format("{}.{}", value, HARN_TRY(signature_of(call, value, HARN_TRY(call.text(1))))));
}

Outcome<Value> cookie_verify(Call& call) {
  auto text = HARN_TRY(call.text(0)), secret = HARN_TRY(call.text(1));
  size_t dot = text.rfind('.');
  if (dot == text.npos || dot + 1 == text.size()) return verdict("value", {}, "malformed");
  std::string expected = HARN_TRY(signature_of(call, text.substr(0, dot), secret));
  if (!crypto::equal_in_constant_time(expected, text.substr(dot + 1))) return verdict("value", {}, "invalid_signature");
  return verdict("value", text_value(text.substr(0, dot)), "");
}

// ---- sessions: a signed JSON value ----

constexpr std::string_view kVersion = "v1.";

Outcome<std::string> session_token(const Call& call, const Value& payload, std::string_view secret) {
  std::string json = HARN_TRY(stored_json(call.row().name, payload, "payload"));
  std::string token = std::string(kVersion) + codecs::to_base64(json, codecs::Base64::Url);
  return token + "." + HARN_TRY(signature_of(call, token, secret));
}

Outcome<Value> verify_session(const Call& call, std::string_view token, std::string_view secret) {
  size_t dot = token.rfind('.');
  if (!token.starts_with(kVersion) || dot == token.npos || dot < kVersion.size()) {
    return verdict("payload", {}, "malformed");
  }
  std::string expected = HARN_TRY(signature_of(call, token.substr(0, dot), secret));
  if (!crypto::equal_in_constant_time(expected, token.substr(dot + 1))) {
    return verdict("payload", {}, "invalid_signature");
  }
  auto json = codecs::from_base64(token.substr(kVersion.size(), dot - kVersion.size()), codecs::Base64::Url);
  if (!json) return verdict("payload", {}, "malformed_payload");
  auto payload = data::parse_json(*json);
  if (!payload) return verdict("payload", {}, "malformed_payload");
  return verdict("payload", std::move(*payload), "");
}

Outcome<Value> session_sign(Call& call) {
  return text_value(HARN_TRY(session_token(call, call.arg(0), HARN_TRY(call.text(1)))));
}

Outcome<Value> session_verify(Call& call) {
  return verify_session(call, HARN_TRY(call.text(0)), HARN_TRY(call.text(1)));
}

Outcome<Value> session_cookie(Call& call) {
  Attributes attributes = kSession;
  HARN_CHECK(read_attributes(call, attributes, call.arg(3)));
  std::string token = HARN_TRY(session_token(call, call.arg(1), HARN_TRY(call.text(2))));
  return serialize(HARN_TRY(call.text(0)), token, attributes);
}

Outcome<Value> session_from_cookies(Call& call) {
  Cookies cookies;
  HARN_CHECK(read_headers(call, cookies, call.arg(0)));
  const std::string* token = cookies.find(HARN_TRY(call.text(1)));
  if (!token) return verdict("payload", {}, "missing_cookie");
  return verify_session(call, *token, HARN_TRY(call.text(2)));
}

// ---- what a browser would send next ----

bool is_deletion(std::string_view attributes) {
  for (std::string_view part : text::split(attributes, ";")) {
    std::string attribute = text::ascii_lower(text::trim(part));
    if (attribute == "max-age=0" || attribute.starts_with("max-age=-")) return true;
    if (attribute.starts_with("expires=thu, 01 jan 1970")) return true;
  }
  return false;
}

Outcome<Value> cookie_round_trip(Call& call) {
  bool has_request = call.count() > 1;
  Cookies cookies;
  if (has_request) HARN_CHECK(read_headers(call, cookies, call.arg(0)));
  std::vector<std::pair<std::string, std::string>> kept;
  auto put = [&](const std::string& name, const std::string& value) {
    auto found = std::find_if(kept.begin(), kept.end(), [&](auto& pair) { return pair.first == name; });
    if (found == kept.end()) kept.emplace_back(name, value);
    else found->second = value;
  };
  for (auto& [name, value] : cookies.pairs) {
    bool is_known = std::any_of(kept.begin(), kept.end(), [&name = name](auto& pair) { return pair.first == name; });
    if (!is_known) put(name, value);
  }
  const Value& set = call.arg(has_request ? 1 : 0);
  std::vector<std::string> headers;
  if (set.is(Kind::List)) {
    for (const Value& header : set.as_list()->values()) headers.push_back(display(header));
  } else if (!set.is_nil()) {
    headers.push_back(display(set));
  }
  for (const std::string& header : headers) {
    size_t end = std::min(header.find(';'), header.size());
    Cookies one;
    read_header(one, std::string_view(header).substr(0, end));
    if (one.pairs.empty()) {
      return runtime_error(ErrorKind::Invalid, "cookie_round_trip: `{}` sets no cookie",
                           std::string_view(header).substr(0, end));
    }
    auto& [name, value] = one.pairs[0];
    if (is_deletion(std::string_view(header).substr(end)))
      std::erase_if(kept, [&name = name](auto& pair) { return pair.first == name; });
    else put(name, value);
  }
  std::string line;
  DictBuilder dict;
  std::map<std::string_view, std::string_view> sorted(kept.begin(), kept.end());
  for (auto& [name, value] : kept) line += fmt::format("{}{}={}", line.empty() ? "" : "; ", name, value);
  for (auto& [name, value] : sorted) dict.add(name, text_value(value));
  return DictBuilder().add("cookie_header", text_value(line)).add("cookies", dict.done()).done();
}

constinit const Builtin kRows[] = {
    {.name = "cookie_delete",
     .signature = "(name: string, options?: dict) -> string",
     .doc = "Returns the Set-Cookie header that makes a browser forget a cookie.",
     .example = R"(cookie_delete("sid").contains("Max-Age=0"))",
     .call = cookie_delete},
    {.name = "cookie_parse",
     .signature = "(headers: any) -> {cookies: dict, pairs: list, duplicates: dict, invalid: list}",
     .doc = "Returns the cookies of a Cookie header, of several, or of all headers of a request.",
     .example = R"(cookie_parse("a=1; b=2").cookies == {a: "1", b: "2"})",
     .call = cookie_parse},
    {.name = "cookie_round_trip",
     .signature = "(request_cookie: any, set_cookie?: any) -> {cookie_header: string, cookies: dict}",
     .doc = "Returns the Cookie header that a browser sends after these Set-Cookie headers; for tests.",
     .example = R"(cookie_round_trip("a=1", ["b=2; Path=/", "a=; Max-Age=0"]).cookie_header == "b=2")",
     .call = cookie_round_trip},
    {.name = "cookie_serialize",
     .signature = "(name: string, value: any, options?: dict) -> string",
     .doc = "Returns a Set-Cookie header; options are path, domain, max_age, expires, http_only, secure, same_site.",
     .example = R"(cookie_serialize("a", "1", {path: "/", secure: true}) == "a=1; Path=/; Secure")",
     .call = cookie_serialize},
    {.name = "cookie_sign",
     .signature = "(value: string, secret: string) -> string",
     .doc = "Returns the value with a signature, for `cookie_verify`.",
     .example = R"(cookie_verify(cookie_sign("v", "key"), "key").value == "v")",
     .call = cookie_sign},
    {.name = "cookie_verify",
     .signature = "(signed: string, secret: string) -> {ok: bool, value: string?, error: string?}",
     .doc = "Returns the value of `cookie_sign`, or the error `malformed` or `invalid_signature`.",
     .example = R"(cookie_verify("v.x", "key").error == "invalid_signature")",
     .call = cookie_verify},
    {.name = "session_cookie",
     .signature = "(name: string, payload: any, secret: string, options?: dict) -> string",
     .doc = "Returns the Set-Cookie header of a signed session: Path=/, HttpOnly, Secure and SameSite=Lax by default.",
     .example = R"(session_cookie("sid", {id: 1}, "key").contains("HttpOnly; Secure; SameSite=Lax"))",
     .call = session_cookie},
    {.name = "session_from_cookies",
     .signature = "(headers: any, name: string, secret: string) -> {ok: bool, payload: any, error: string?}",
     .doc = "Returns the session in the cookie of that name, as `session_verify` does, or the error `missing_cookie`.",
     .example = R"(session_from_cookies("a=1", "sid", "key").error == "missing_cookie")",
     .call = session_from_cookies},
    {.name = "session_sign",
     .signature = "(payload: any, secret: string) -> string",
     .doc = "Returns a token that holds the payload and is signed.",
     .example = R"(session_verify(session_sign({id: 1}, "key"), "key").payload == {id: 1})",
     .call = session_sign},
    {.name = "session_verify",
     .signature = "(token: string, secret: string) -> {ok: bool, payload: any, error: string?}",
     .doc =
         "Returns the payload of `session_sign`, or the error `malformed`, `invalid_signature` or `malformed_payload`.",
     .example = R"(session_verify("v1.x.y", "key").error == "invalid_signature")",
     .call = session_verify},
};

}  // namespace

std::span<const Builtin> cookie_rows() { return kRows; }

}  // namespace harn::builtins
