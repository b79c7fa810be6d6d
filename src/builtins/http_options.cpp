#include "builtins/http_options.h"

#include "base/result.h"
#include "base/codecs.h"
#include "base/text.h"
#include "base/url.h"
#include "builtins/multipart.h"
#include "builtins/options.h"
#include "data/json.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::builtins {

using namespace vm;
using effects::HttpExchange;
using effects::HttpPlan;

namespace {

// The options as they are read: absent and nil are the same.
class Options {
 public:
  explicit Options(const DictObject* dict) : dict_(dict) {}

  const Value* find(std::string_view name) const {
    const Value* value = dict_ ? dict_->find(name) : nullptr;
    has_any_ |= value != nullptr;
    return value && !value->is_nil() ? value : nullptr;
  }

  // Whether any that was asked for is there, be it nil.
  bool has_any() const { return has_any_; }

  // A count or a time in milliseconds: 0 or more.
  Outcome<void> number(std::string_view name, int64_t& to) const {
    const Value* value = find(name);
    if (!value) return {};
    if (!value->is_int() || value->as_int() < 0) {
      return type_error("http: option `{}` is {}, expected an int, 0 or more", name, display(*value));
    }
    to = value->as_int();
    return {};
  }

  Outcome<void> flag(std::string_view name, bool& to) const {
    const Value* value = find(name);
    if (!value) return {};
    if (!value->is_bool()) return type_error("http: option `{}` is {}, expected a bool", name, display(*value));
    to = value->as_bool();
    return {};
  }

  Outcome<const DictObject*> dict(std::string_view name) const {
    const Value* value = find(name);
    if (!value) return static_cast<const DictObject*>(nullptr);
    // The value may be a secret: only its type is shown.
    if (!value->is_dict()) return type_error("http: option `{}` must be a dict, got {}", name, type_name(*value));
    return value->as_dict();
  }

 private:
  const DictObject* dict_;
  mutable bool has_any_ = false;
};

// What goes on the wire as a line must be one.
bool is_one_line(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos; }

bool is_header(const effects::HttpHeader& header, std::string_view name) {
  return text::ascii_lower(header.name) == text::ascii_lower(name);
}

// In the place of one that a session has.
Outcome<void> add_header(HttpExchange& request, std::string_view name, std::string value) {
  bool is_name = !name.empty() && name.find_first_of(": \t") == name.npos && is_one_line(name);
  if (!is_name || !is_one_line(value)) return throw_text(ErrorKind::Invalid, "http: header `{}` cannot be sent", name);
  std::erase_if(request.headers, [&](const auto& header) { return is_header(header, name); });
  request.headers.push_back({std::string(name), std::move(value)});
  return {};
}

bool has_header(const HttpExchange& request, std::string_view name) {
  auto is_it = [&](const auto& header) { return is_header(header, name); };
  return std::any_of(request.headers.begin(), request.headers.end(), is_it);
}

Outcome<void> read_headers(const Options& options, HttpExchange& request) {
  const DictObject* headers = HARN_TRY(options.dict("headers"));
  if (!headers) return {};
  for (auto [name, value] : headers->entries()) {
    if (!value->is_nil()) HARN_CHECK(add_header(request, name->view(), display(*value)));
  }
  return {};
}

// To be added to the URL, once there is one.
Outcome<void> read_query(const Options& options, HttpWish& wish) {
  const DictObject* query = HARN_TRY(options.dict("query"));
  if (!query) return {};
  for (auto [name, value] : query->entries()) {
    std::erase_if(wish.query, [&](const auto& known) { return known.first == name->view(); });
    if (!value->is_nil()) wish.query.emplace_back(name->view(), display(*value));
  }
  return {};
}

std::string field(const DictObject* dict, std::string_view name) {
  const Value* value = dict->find(name);
  return value && !value->is_nil() ? display(*value) : "";
}

Outcome<void> read_auth(const Options& options, HttpExchange& request) {
  const Value* auth = options.find("auth");
  if (!auth) return {};
  if (auth->is_string()) return add_header(request, "Authorization", display(*auth));
  if (auth->is_dict()) {
    const Value* bearer = auth->as_dict()->find("bearer");
    if (bearer && !bearer->is_nil()) return add_header(request, "Authorization", "Bearer " + display(*bearer));
    const Value* basic = auth->as_dict()->find("basic");
    if (basic && basic->is_dict()) {
      std::string pair = field(basic->as_dict(), "user") + ":" + field(basic->as_dict(), "password");
      return add_header(request, "Authorization", "Basic " + codecs::to_base64(pair));
    }
  }
  return type_error("http: option `auth` must be a string, {{bearer}} or {{basic: {{user, password}}}}");
}

Outcome<void> read_retry(const Options& options, HttpPlan& plan) {
  HARN_CHECK(options.number("retries", plan.retries));
  HARN_CHECK(options.number("backoff", plan.backoff_ms));
  const DictObject* inner = HARN_TRY(options.dict("retry"));
  Options retry(inner);
  HARN_CHECK(retry.number("max", plan.retries));
  HARN_CHECK(retry.number("backoff_ms", plan.backoff_ms));
  HARN_CHECK(options.flag("respect_retry_after", plan.respect_retry_after));
  if (const Value* statuses = options.find("retry_on")) {
    auto is_status = [](const Value& status) { return status.is_int(); };
    bool fits = statuses->is_list() && std::ranges::all_of(statuses->as_list()->values(), is_status);
    if (!fits) return type_error("http: option `retry_on` must be a list of statuses, got {}", display(*statuses));
    plan.retry_on.clear();
    for (const Value& status : statuses->as_list()->values()) plan.retry_on.push_back(status.as_int());
  }
  if (const Value* methods = options.find("retry_methods")) {
    if (!methods->is_list())
      return type_error("http: option `retry_methods` must be a list of methods, got {}", type_name(*methods));
    plan.retry_methods.clear();
    for (const Value& method : methods->as_list()->values()) plan.retry_methods.push_back(display(method));
  }
  return {};
}

Outcome<void> read_limits(const Options& options, HttpPlan& plan) {
  HttpExchange& request = plan.request;
  HARN_CHECK(options.number("timeout", request.timeout_ms));
  HARN_CHECK(options.number("timeout_ms", request.timeout_ms));
  HARN_CHECK(options.number("total_timeout_ms", plan.total_timeout_ms));
  HARN_CHECK(options.number("connect_timeout_ms", request.connect_timeout_ms));
  HARN_CHECK(options.number("read_timeout_ms", request.read_timeout_ms));
  HARN_CHECK(options.number("max_redirects", plan.max_redirects));
  HARN_CHECK(options.number("max_body_bytes", request.max_body));
  HARN_CHECK(options.flag("follow_redirects", plan.follow_redirects));
  HARN_CHECK(options.flag("decompress", request.decompress));
  return {};
}

Outcome<void> read_proxy(const Options& options, HttpExchange& request) {
  if (const Value* proxy = options.find("proxy")) request.proxy = display(*proxy);
  const Value* auth = options.find("proxy_auth");
  if (!auth) return {};
  if (auth->is_dict()) request.proxy_user = field(auth->as_dict(), "user") + ":" + field(auth->as_dict(), "password");
  else request.proxy_user = display(*auth);
  return {};
}

Outcome<void> read_tls(const Options& options, HttpExchange& request) {
  Options tls(HARN_TRY(options.dict("tls")));
  HARN_CHECK(tls.flag("verify", request.tls.verify));
  if (const Value* file = tls.find("ca_file")) request.tls.ca_file = display(*file);
  if (const Value* file = tls.find("cert_file")) request.tls.cert_file = display(*file);
  if (const Value* file = tls.find("key_file")) request.tls.key_file = display(*file);
  return {};
}

Outcome<void> read_body(const Call& call, const Options& options, HttpWish& wish) {
  const Value* body = options.find("body");
  const Value* form = options.find("multipart");
  if (body && form) return throw_text(ErrorKind::Invalid, "http: body and multipart options are mutually exclusive");
  if (body) return set_http_body(wish, *body);
  if (!form) return {};
  HttpExchange& request = wish.plan.request;
  FormBody made = HARN_TRY(form_body(call, *form));
  request.body = std::move(made.body);
  return add_header(request, "Content-Type", std::move(made.content_type));
}

// What stands in the first line of a request.
bool is_method(std::string_view method) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !method.empty() && std::all_of(method.begin(), method.end(), [&](char c) {
    return isalnum(static_cast<unsigned char>(c)) || kMarks.find(c) != kMarks.npos;
  });
}

// Control characters and spaces after the host are encoded; in it they are a mistake.
bool has_clean_host(std::string_view url) {
  std::string_view start = url.substr(0, url.find_first_of("/?#", url.find("://") + 3));
  return std::none_of(start.begin(), start.end(), [](char c) { return (c >= 0 && c <= ' ') || c == 0x7F; });
}

}  // namespace

Outcome<void> set_http_body(HttpWish& wish, const Value& body) {
  HttpExchange& request = wish.plan.request;
  if (body.is(Kind::Bytes)) {
    request.body = body.as_bytes()->view();
    return {};
  }
  if (!is_list_like(body) && !body.is_dict() && !body.is(Kind::Struct)) {
    request.body = display(body);
    return {};
  }
  request.body.clear();
  auto written = data::append_json(request.body, body);
  if (!written)
    return throw_text(written.error().kind, "http: body cannot be sent as JSON: {}", written.error().text());
  if (!has_header(request, "content-type")) HARN_CHECK(add_header(request, "Content-Type", "application/json"));
  return {};
}

Outcome<bool> read_http_options(const Call& call, HttpWish& wish, const Value& given) {
  if (!given.is_nil() && !given.is_dict()) {
    return type_error("http: options must be a dict, got {}", type_name(given));
  }
  Options options(given.is_dict() ? given.as_dict() : nullptr);
  HttpExchange& request = wish.plan.request;
  HARN_CHECK(read_limits(options, wish.plan));
  HARN_CHECK(read_retry(options, wish.plan));
  HARN_CHECK(read_headers(options, request));
  HARN_CHECK(read_auth(options, request));
  HARN_CHECK(read_proxy(options, request));
  HARN_CHECK(read_tls(options, request));
  HARN_CHECK(read_query(options, wish));
  HARN_CHECK(read_body(call, options, wish));
  HARN_CHECK(options.flag("as_bytes", wish.as_bytes));
  return options.has_any();
}

namespace {

constexpr std::string_view kRetryNames[] = {"max", "backoff_ms"};
constexpr std::string_view kTlsNames[] = {"verify", "ca_file", "cert_file", "key_file"};

Outcome<void> check_inner(std::string_view by, const DictObject* options, std::string_view name,
                          std::span<const std::string_view> known) {
  const Value* inner = options->find(name);
  if (!inner || !inner->is_dict()) return {};
  return check_names(by, fmt::format("option of `{}`", name), inner->as_dict(), known);
}

}  // namespace

Outcome<void> check_http_options(std::string_view by, const Value& given, std::span<const std::string_view> more) {
  if (!given.is_dict()) return {};
  const DictObject* options = given.as_dict();
  HARN_CHECK(check_inner(by, options, "retry", kRetryNames));
  HARN_CHECK(check_inner(by, options, "tls", kTlsNames));
  constexpr bytecode::Signature kRow = "(options?: " HARN_HTTP_OPTIONS ") -> nil";
  auto known = kRow.field_names(0);
  known.push_back("as_bytes");  // the library's own
  known.insert(known.end(), more.begin(), more.end());
  return check_names(by, "option", options, known);
}

Outcome<void> set_http_target(HttpWish& wish, std::string method, std::string url) {
  for (char& c : method) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
  if (!is_method(method)) {
    return throw_text(ErrorKind::Invalid, "http: invalid method '{}': letters are expected, as in GET", method);
  }
  if (!split_url(url) || !has_clean_host(url)) {
    return throw_text(ErrorKind::Invalid, "http: URL must start with http:// or https://, got '{}'", masked_url(url));
  }
  HttpExchange& request = wish.plan.request;
  request.method = std::move(method);
  for (const auto& [name, value] : wish.query) add_query(url, name, value);
  request.url = encoded_url(url);
  return {};
}

Outcome<HttpWish> http_wish(const Call& call, std::string method, std::string url, const Value& options) {
  HttpWish wish;
  HARN_CHECK(read_http_options(call, wish, options));
  HARN_CHECK(check_http_options(call.row().name, options));
  HARN_CHECK(set_http_target(wish, std::move(method), std::move(url)));
  return wish;
}

}  // namespace harn::builtins
