#include "effects/http.h"

#include "base/fmt.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "vm/clock.h"
#include "vm/fiber.h"
#include "vm/objects.h"

namespace harn::effects {

using namespace vm;

namespace {

// How long a task that is stopped waits for its request to be gone.
constexpr Nanoseconds kCancelTime = 1'500 * kMillisecond;

// What the task and the I/O thread share.
struct Exchange {
  Completion completion;
  net::HttpResponse response;
};

}  // namespace

bool is_secret_header(std::string_view name) {
  std::string lower = text::ascii_lower(name);
  return lower == "authorization" || lower == "proxy-authorization" || lower == "cookie" || lower == "set-cookie" ||
         lower == "x-api-key" || Secrets::is_secret_name(lower);
}

// name=value&...: the values of names that are those of secrets, as they are written and as they are meant.
static void add_form_secrets(std::string_view form, std::vector<std::string>& out) {
  for (std::string_view pair : text::split(form, "&")) {
    size_t equals = pair.find('=');
    if (equals == pair.npos || equals + 1 == pair.size()) continue;
    std::string name = form_decoded(pair.substr(0, equals));
    bool is_secret = Secrets::is_secret_name(name) || name == "code" || name == "code_verifier" || name == "assertion";
    if (!is_secret) continue;
    out.emplace_back(pair.substr(equals + 1));
    out.push_back(form_decoded(pair.substr(equals + 1)));
  }
}

static void add_user_secret(std::string_view user_info, std::vector<std::string>& out) {
  size_t colon = user_info.find(':');
  if (!user_info.empty()) out.emplace_back(colon == user_info.npos ? user_info : user_info.substr(colon + 1));
}

std::vector<std::string> HttpExchange::secret_values() const {
  std::vector<std::string> out;
  bool is_form = false;
  for (const HttpHeader& header : headers) {
    if (text::ascii_lower(header.name) == "content-type") is_form = header.value.contains("form-urlencoded");
    if (!is_secret_header(header.name)) continue;
    out.push_back(header.value);
    size_t space = header.value.find(' ');  // Bearer TOKEN
    if (space != std::string::npos) out.push_back(header.value.substr(space + 1));
  }
  for (const std::string* address : {&url, &proxy}) {
    auto parts = split_url(*address);
    if (!parts) continue;
    add_user_secret(parts->user_info, out);
    if (!parts->query.empty()) add_form_secrets(parts->query.substr(1), out);
  }
  add_user_secret(proxy_user, out);
  if (is_form) add_form_secrets(body, out);
  return out;
}

std::string HttpExchange::told_to_person() const {
  std::string told = fmt::format("{} {}", method, url);
  if (!body.empty()) told += fmt::format(" with {} bytes: {}", body.size(), body);
  // The person is to decide, not to learn a password.
  return without_any(std::move(told), secret_values(), "***");
}

std::string without_any(std::string text, const std::vector<std::string>& values, std::string_view instead) {
  constexpr size_t kLeast = 4;  // shorter ones are found everywhere
  for (const std::string& value : values) {
    if (value.size() >= kLeast) text = text::replace_all(text, value, instead);
  }
  return text;
}

std::string HttpExchange::shown() const { return fmt::format("{} {}", method, masked_url(url)); }

static int usual_port(std::string_view scheme) {
  if (scheme == "postgres" || scheme == "postgresql") return 5432;
  return scheme == "https" || scheme == "wss" ? 443 : 80;
}

EgressTarget target_of(std::string_view url) {
  auto parsed = parse_url(url);
  if (!parsed || !parsed->host) return {};
  std::string host = *parsed->host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, parsed->port.value_or(usual_port(parsed->scheme))};
}

// Behind a proxy that the program has named: that one, too.
std::vector<EgressTarget> HttpExchange::targets() const {
  std::vector<EgressTarget> all = {target_of(url)};
  if (!proxy.empty()) all.push_back(target_of(proxy.find("://") == proxy.npos ? "http://" + proxy : proxy));
  return all;
}

net::HttpRequest checked_request(Run& run, const HttpExchange& request) {
  net::HttpRequest checked = request;
  checked.check_address = address_check(run);
  return checked;
}

net::AddressCheck address_check(Run& run) {
  auto rules = run.egress();
  if (!rules) return nullptr;
  return
      [rules](const std::string& address, int port) { return rules->refusal_of_address(address, port).value_or(""); };
}

std::unexpected<Thrown> egress_blocked(const HttpExchange& request, std::string_view reason) {
  return egress_blocked(request.url, "http", reason);
}

std::unexpected<Thrown> egress_blocked(std::string_view url, std::string_view surface, std::string_view reason) {
  EgressTarget target = target_of(url);
  std::string shown = masked_url(url);
  std::string message = fmt::format("egress blocked: {}:{}: {} ({})", target.host, target.port, reason, shown);
  return throw_value(DictBuilder()
                         .add("type", text_value("EgressBlocked"))
                         .add("category", text_value("egress_blocked"))
                         .add("host", text_value(target.host))
                         .add("port", Value::integer(target.port))
                         .add("reason", text_value(reason))
                         .add("url", text_value(shown))
                         .add("surface", text_value(surface))
                         .add("message", text_value(message))
                         .done());
}

Outcome<SendHttp::Answer> carry_out(Run& run, const SendHttp& request) {
  auto shared = std::make_shared<Exchange>();
  auto id = net::start_request(checked_request(run, request), [shared](net::HttpResponse response) {
    shared->response = std::move(response);
    shared->completion.finish();
  });
  const char* what = "an HTTP request";
  if (shared->completion.wait(what, text_value(request.shown())) != Wake::Cancelled) {
    return SendHttp::Answer{std::move(shared->response)};
  }
  net::cancel_request(id);
  shared->completion.wait(what, {}, run.clock().now() + kCancelTime);
  return stopped_error();
}

}  // namespace harn::effects
