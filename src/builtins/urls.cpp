// URLs: their parts, their queries, and URLs that are signed.
#include "base/url.h"

#include <algorithm>
#include <charconv>

#include "base/codecs.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "builtins/signed_text.h"
#include "crypto/digest.h"

namespace harn::builtins {
namespace {

using namespace vm;

Value text_or_nil(const std::optional<std::string>& text) { return text ? text_value(*text) : Value(); }

Outcome<Value> url_encode(Call& call) { return text_value(percent_encoded(display(call.arg(0)))); }

Outcome<Value> url_decode(Call& call) { return text_value(text::to_valid_utf8(form_decoded(display(call.arg(0))))); }

// ---- parts ----

Outcome<Value> url_parse(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto url = parse_url(text);
  if (!url) return throw_text(ErrorKind::Invalid, "url_parse: {}", url.error());
  return DictBuilder()
      .add("scheme", text_value(url->scheme))
      .add("host", text_or_nil(url->host))
      .add("port", url->port ? Value::integer(*url->port) : Value())
      .add("path", text_value(url->path))
      .add("query", text_or_nil(url->query))
      .add("fragment", text_or_nil(url->fragment))
      .add("username", text_or_nil(url->username))
      .add("password", text_or_nil(url->password))
      .done();
}

std::optional<std::string> part_of(const DictObject& parts, std::string_view name) {
  const Value* value = parts.find(name);
  return value && !value->is_nil() ? std::optional(display(*value)) : std::nullopt;
}

constexpr std::string_view kSchemeLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";

// What a part may not hold as it is: it would end there, and the rest be read as another part. Escapes stay: parts come encoded from
// url_parse.
std::string kept_inside(std::string_view part, std::string_view allowed) {
  std::string out;
  for (char c : part) {
    bool is_fine = text::is_identifier_part(c) || c == '%' || std::string_view("-.~!$&'()*+,;=").contains(c) ||
                   allowed.contains(c);
    out += is_fine ? std::string(1, c) : percent_encoded(std::string_view(&c, 1));
  }
  return out;
}

bool ends_a_host(char c) { return static_cast<uint8_t>(c) <= ' ' || std::string_view("/?#@\\%").contains(c); }

std::optional<std::string> part_inside(const DictObject& parts, std::string_view name, std::string_view allowed) {
  auto part = part_of(parts, name);
  return part ? std::optional(kept_inside(*part, allowed)) : std::nullopt;
}

Outcome<Value> url_build(Call& call) {
  const Value& value = call.arg(0);
  if (!value.is_dict()) return throw_text(ErrorKind::Type, "url_build: expected a dict of url parts");
  const DictObject& parts = *value.as_dict();
  constexpr std::string_view kParts[] = {"scheme", "host", "port", "path", "query", "fragment", "username", "password"};
  HARN_CHECK(check_names("url_build", "part", &parts, kParts));
  Url url;
  url.scheme = part_of(parts, "scheme").value_or("");
  if (url.scheme.empty()) return throw_text(ErrorKind::Invalid, "url_build: 'scheme' is required");
  if (url.scheme.find_first_not_of(kSchemeLetters) != std::string::npos)
    return throw_text(ErrorKind::Invalid, "url_build: 'scheme' must be letters, digits, `+`, `-` and `.`, got {}",
                      url.scheme);
  url.username = part_inside(parts, "username", "");
  url.password = part_inside(parts, "password", ":");
  url.host = part_of(parts, "host");
  if (url.host && std::any_of(url.host->begin(), url.host->end(), ends_a_host))
    return throw_text(ErrorKind::Invalid, "url_build: 'host' must be a name or an address, got {}", *url.host);
  if (auto port = part_of(parts, "port")) {
    int number = -1;
    auto read = std::from_chars(port->data(), port->data() + port->size(), number);
    bool is_port = read.ec == std::errc() && read.ptr == port->data() + port->size() && number >= 0 && number <= 65535;
    if (!is_port)
      return throw_text(ErrorKind::Invalid, "url_build: 'port' must be a number up to 65535, got {}", *port);
    url.port = number;
  }
  url.path = part_inside(parts, "path", "/:@").value_or("");
  const Value* query = parts.find("query");
  if (query && (query->is_dict() || is_list_like(*query)))
    return type_error("url_build: 'query' must be a text, got {}; query_stringify makes one", type_name(*query));
  url.query = part_inside(parts, "query", "/:@?[]");
  url.fragment = part_inside(parts, "fragment", "/:@?");
  return text_value(url.text());
}

// ---- queries ----

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs parse_query(std::string_view query) {
  Pairs pairs;
  if (query.starts_with('?')) query.remove_prefix(1);
  for (std::string_view part : text::split(query, "&")) {
    if (part.empty()) continue;
    size_t equals = std::min(part.find('='), part.size());
    std::string_view value = equals < part.size() ? part.substr(equals + 1) : std::string_view();
    pairs.emplace_back(form_decoded(part.substr(0, equals)), form_decoded(value));
  }
  return pairs;
}

Outcome<Value> query_parse(Call& call) {
  auto list = new_list();
  for (auto& [key, value] : parse_query(HARN_TRY(call.text(0)))) {
    list->push(DictBuilder()
                   .add("key", text_value(text::to_valid_utf8(key)))
                   .add("value", text_value(text::to_valid_utf8(value)))
                   .done());
  }
  return Value(std::move(list));
}

Outcome<Value> query_stringify(Call& call) {
  constexpr std::string_view kWhat = "query_stringify: expected a list of {key, value} dicts";
  if (!call.arg(0).is(Kind::List)) return throw_text(ErrorKind::Type, "{}", kWhat);
  std::string out;
  for (const Value& item : call.arg(0).as_list()->values()) {
    const Value* key = item.is_dict() ? item.as_dict()->find("key") : nullptr;
    const Value* value = item.is_dict() ? item.as_dict()->find("value") : nullptr;
    if (!key || !value) {
      return throw_text(ErrorKind::Type, "query_stringify: each item must be a {{key, value}} dict");
    }
    if (!out.empty()) out += '&';
    out += percent_encoded(display(*key)) + "=" + percent_encoded(display(*value));
  }
  return text_value(out);
}

// ---- signed URLs ----

// How the parameters of a signature are called.
struct Names {
  std::string signature = "sig";
  std::string expires = "exp";
  std::string key = "kid";
};

Names names_of(const Value& options) {
  Names names;
  if (!options.is_dict()) return names;
  const DictObject& dict = *options.as_dict();
  names.signature = part_of(dict, "signature_param").value_or(names.signature);
  names.expires = part_of(dict, "expires_param").value_or(names.expires);
  names.key = part_of(dict, "kid_param").value_or(names.key);
  return names;
}

// A URL in two: what the signature is for, and its query.
struct Resource {
  std::string name;  // origin and path, or an absolute path, in canonical form
  Pairs query;
  std::string fragment;  // is no part of the signature
};

// `/` and escapes stay, in upper case; other bytes are escaped.
std::string canonical_path(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    auto escape = path[i] == '%' ? codecs::from_hex(path.substr(i + 1, 2)) : codecs::Decoded("");
    if (path[i] == '/') {
      out += '/';
    } else if (escape && escape->size() == 1) {
      out += fmt::format("%{:02X}", static_cast<uint8_t>((*escape)[0]));
      i += 2;
    } else {
      out += percent_encoded(path.substr(i, 1));
    }
  }
  return out;
}

Outcome<Resource> resource_of(const Call& call, std::string_view text) {
  Resource resource;
  if (size_t hash = text.find('#'); hash != text.npos) {
    resource.fragment = text.substr(hash);
    text = text.substr(0, hash);
  }
  size_t mark = std::min(text.find('?'), text.size());
  resource.query = parse_query(text.substr(mark));
  std::string_view place = text.substr(0, mark);
  if (place.starts_with('/')) {
    resource.name = canonical_path(place);
    return resource;
  }
  auto url = parse_url(place);
  if (!url || !url->host || url->host->empty()) {
    return runtime_error(ErrorKind::Invalid, "{}: expected an absolute URL with a host, or a path that begins with `/`",
                         call.row().name);
  }
  std::string port = url->port ? fmt::format(":{}", *url->port) : "";
  resource.name = fmt::format("{}://{}{}{}", url->scheme, *url->host, port, canonical_path(url->path));
  return resource;
}

std::string canonical_query(const Pairs& query) {
  std::vector<std::string> parts;
  for (auto& [key, value] : query) parts.push_back(percent_encoded(key) + "=" + percent_encoded(value));
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "&") + part;
  return out;
}

Outcome<std::string> signature_of(const Call& call, const Resource& resource, std::string_view secret) {
  std::string message = "harn-signed-url-v1\n" + resource.name + "\n" + canonical_query(resource.query);
  return builtins::signature_of(call, message, secret);
}

Outcome<Value> signed_url(Call& call) {
  if (call.count() < 4) {
    return runtime_error(ErrorKind::Type,
                         "signed_url: requires 4 or 5 arguments: base, claims, secret, expires_at, options?");
  }
  HARN_CHECK(options_of(call, 4));
  Names names = names_of(call.arg(4));
  Resource resource = HARN_TRY(resource_of(call, HARN_TRY(call.text(0))));
  const DictObject* claims = call.arg(1).is_nil() ? nullptr : HARN_TRY(call.dict(1));
  auto secret = HARN_TRY(call.text(2));
  const Value& expires = call.arg(3);
  if (!expires.is_int()) {
    return runtime_error(ErrorKind::Type, "signed_url: expires_at must be an int, got {}", type_name(expires));
  }
  auto add = [&](std::string key, std::string value) { resource.query.emplace_back(std::move(key), std::move(value)); };
  if (claims) {
    for (auto [key, value] : claims->entries()) add(std::string(key->view()), display(*value));
  }
  for (auto& [key, value] : resource.query) {
    bool is_reserved = key == names.signature || key == names.expires || key == names.key;
    if (is_reserved) {
      return runtime_error(ErrorKind::Invalid, "signed_url: claims cannot contain reserved parameter `{}`", key);
    }
  }
  add(names.expires, std::to_string(expires.as_int()));
  if (call.arg(4).is_dict()) {
    if (auto key = part_of(*call.arg(4).as_dict(), "kid")) add(names.key, std::move(*key));
  }
  std::string signature = HARN_TRY(signature_of(call, resource, secret));
  return text_value(fmt::format("{}?{}&{}={}{}", resource.name, canonical_query(resource.query),
                                percent_encoded(names.signature), signature, resource.fragment));
}

// What verifying found. Nothing in it throws: a URL comes from a stranger.
struct Verdict {
  std::string_view reason = "ok";
  bool is_signed = false;
  bool is_expired = false;
  std::optional<int64_t> expires_at;
  std::optional<std::string> key;
  Pairs claims;

  Value show() const {
    DictBuilder shown;
    for (auto& [name, value] : claims) {
      shown.add(text::to_valid_utf8(name), text_value(text::to_valid_utf8(value)));
    }
    return DictBuilder()
        .add("valid", Value::boolean(reason == "ok"))
        .add("reason", text_value(reason))
        .add("signature_valid", Value::boolean(is_signed))
        .add("expired", Value::boolean(is_expired))
        .add("expires_at", expires_at ? Value::integer(*expires_at) : Value())
        .add("kid", text_or_nil(key))
        .add("claims", shown.done())
        .done();
  }
};

// Takes the parameter out of the query; nothing when it is not there exactly once.
struct Parameter {
  size_t count = 0;
  std::string value;
};
Parameter take(Pairs& query, const std::string& name) {
  Parameter found;
  std::erase_if(query, [&](auto& pair) {
    if (pair.first != name) return false;
    ++found.count;
    found.value = pair.second;
    return true;
  });
  return found;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

Outcome<Value> verify_signed_url(Call& call) {
  HARN_CHECK(options_of(call, 3));
  Names names = names_of(call.arg(3));
  Resource resource = HARN_TRY(resource_of(call, HARN_TRY(call.text(0))));
  const Value& keys = call.arg(1);
  int64_t now = HARN_TRY(call.integer(2));
  int64_t skew = 0;
  if (call.arg(3).is_dict()) {
    const Value* given = call.arg(3).as_dict()->find("skew_seconds");
    if (given && !given->is_nil() && !given->is_int())
      return type_error("verify_signed_url: option `skew_seconds` must be an int, got {}", type_name(*given));
    if (given && given->is_int()) skew = given->as_int();
  }

  Verdict verdict;
  Parameter signature = take(resource.query, names.signature);
  Pairs others = resource.query;
  Parameter expires = take(others, names.expires), key = take(others, names.key);
  verdict.claims = std::move(others);
  if (key.count == 1) verdict.key = key.value;
  verdict.expires_at = expires.count == 1 ? number_of(expires.value) : std::nullopt;
  auto ended = [&](std::string_view reason) {
    verdict.reason = reason;
    return verdict.show();
  };
  if (signature.count != 1) return ended("missing_signature");
  if (expires.count == 0) return ended("missing_expiry");
  if (!verdict.expires_at) return ended("invalid_expiry");
  if (key.count > 1) return ended("duplicate_kid");

  std::string secret;
  if (keys.is_dict()) {
    const Value* found = verdict.key ? keys.as_dict()->find(*verdict.key) : nullptr;
    if (!found || found->is_nil()) return ended("unknown_key");
    if (!found->is_string())
      return type_error("verify_signed_url: the secret `{}` must be a string, got {}", *verdict.key, type_name(*found));
    secret = display(*found);
  } else {
    secret = HARN_TRY(call.text(1));
  }
  std::string expected = HARN_TRY(signature_of(call, resource, secret));
  verdict.is_signed = crypto::equal_in_constant_time(expected, signature.value);
  int64_t latest;
  if (__builtin_add_overflow(*verdict.expires_at, skew, &latest)) latest = INT64_MAX;
  verdict.is_expired = now > latest;
  return ended(!verdict.is_signed ? "bad_signature" : verdict.is_expired ? "expired" : "ok");
}

constinit const Builtin kRows[] = {
    {.name = "query_parse",
     .signature = "(query: string) -> list<{key: string, value: string}>",
     .doc = "Returns the pairs of a query, in order; a leading `?` is ignored.",
     .example = R"(query_parse("?a=1&b=x+y") == [{key: "a", value: "1"}, {key: "b", value: "x y"}])",
     .call = query_parse},
    {.name = "query_stringify",
     .signature = "(pairs: list<dict>) -> string",
     .doc = "Returns the query of {key, value} dicts, percent-encoded.",
     .example = R"(query_stringify([{key: "a", value: "1 2"}, {key: "b", value: 3}]) == "a=1%202&b=3")",
     .call = query_stringify},
    {.name = "signed_url",
     .signature = "(base: string, claims: dict?, secret: string, expires_at: int, options?: {signature_param?: string, "
                  "expires_param?: string, kid_param?: string, kid?: string}) -> string",
     .doc = "Returns the URL or path with the claims, an expiry and a signature as query parameters.",
     .example = R"(verify_signed_url(signed_url("/r/1", {user: "u"}, "key", 100), "key", 100).claims == {user: "u"})",
     .call = signed_url},
    {.name = "url_build",
     .signature = "(parts: dict) -> string",
     .doc = "Returns the URL of parts as `url_parse` has them.",
     .example =
         R"(url_build({scheme: "https", host: "h.org", port: 8080, path: "/p", query: "a=1"}) == "https://h.org:8080/p?a=1")",
     .call = url_build},
    {.name = "url_decode",
     .signature = "(text: any) -> string",
     .doc = "Returns the text that is percent-encoded; `+` is a space, and what is no escape stays.",
     .example = R"(url_decode("a%20b+c%zz") == "a b c%zz")",
     .call = url_decode},
    {.name = "url_encode",
     .signature = "(text: any) -> string",
     .doc = "Returns the text with all but letters, digits and `-_.~` as %XX.",
     .example = R"(url_encode("a b&é") == "a%20b%26%C3%A9")",
     .call = url_encode},
    {.name = "url_parse",
     .signature = "(url: string) -> dict",
     .doc =
         "Returns {scheme, host, port, path, query, fragment, username, password} of an absolute URL; what it does not "
         "have is nil.",
     .example = R"(url_parse("https://h.org:8080/p?a=1#f").port == 8080)",
     .call = url_parse},
    {.name = "verify_signed_url",
     .signature = "(url: string, secret_or_keys: string | dict, now: int, options?: {signature_param?: string, "
                  "expires_param?: string, kid_param?: string, skew_seconds?: int}) -> dict",
     .doc = "Returns {valid, reason, signature_valid, expired, expires_at, kid, claims} of a URL by `signed_url`.",
     .example = R"(verify_signed_url("/r/1?exp=1&sig=x", "key", 0).reason == "bad_signature")",
     .call = verify_signed_url},
};

}  // namespace

std::span<const Builtin> url_rows() { return kRows; }

}  // namespace harn::builtins
