#include "effects/http.h"

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

std::string HttpExchange::shown() const { return fmt::format("{} {}", method, masked_url(url)); }

static EgressTarget target_of(std::string_view url) {
  auto parsed = parse_url(url);
  if (!parsed || !parsed->host) return {};
  std::string host = *parsed->host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, parsed->port.value_or(parsed->scheme == "https" ? 443 : 80)};
}

// Behind a proxy that the program has named: that one, too.
std::vector<EgressTarget> HttpExchange::targets() const {
  std::vector<EgressTarget> all = {target_of(url)};
  if (!proxy.empty()) all.push_back(target_of(proxy.find("://") == proxy.npos ? "http://" + proxy : proxy));
  return all;
}

net::HttpRequest checked_request(Run& run, const HttpExchange& request) {
  net::HttpRequest checked = request;
  auto rules = run.egress();
  if (!rules) return checked;
  checked.check_address = [rules](const std::string& address, int port) {
    return rules->refusal_of_address(address, port).value_or("");
  };
  return checked;
}

std::unexpected<Thrown> egress_blocked(const HttpExchange& request, std::string_view reason) {
  EgressTarget target = target_of(request.url);
  std::string url = masked_url(request.url);
  std::string message = fmt::format("egress blocked: {}:{}: {} ({})", target.host, target.port, reason, url);
  return throw_value(DictBuilder()
                         .add("type", text_value("EgressBlocked"))
                         .add("category", text_value("egress_blocked"))
                         .add("host", text_value(target.host))
                         .add("port", Value::integer(target.port))
                         .add("reason", text_value(reason))
                         .add("url", text_value(url))
                         .add("surface", text_value("http"))
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
