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

net::HttpRequest on_the_wire(const SendHttp& request) {
  net::HttpRequest wire{.method = request.method, .url = request.url, .body = request.body};
  for (const HttpHeader& header : request.headers) wire.headers.push_back({header.name, header.value});
  wire.proxy = request.proxy;
  wire.proxy_user = request.proxy_user;
  wire.timeout_ms = request.timeout_ms;
  wire.connect_timeout_ms = request.connect_timeout_ms;
  wire.read_timeout_ms = request.read_timeout_ms;
  wire.max_body = static_cast<size_t>(request.max_body);
  wire.decompress = request.decompress;
  return wire;
}

SendHttp::Answer from_the_wire(net::HttpResponse&& response) {
  SendHttp::Answer answer{.failure = response.failure, .message = std::move(response.message), .status = response.status};
  for (net::HttpHeader& header : response.headers) {
    answer.headers.push_back({std::move(header.name), std::move(header.value)});
  }
  answer.body = std::move(response.body);
  answer.redirect_to = std::move(response.redirect_to);
  return answer;
}

}  // namespace

std::string SendHttp::shown() const { return fmt::format("{} {}", method, masked_url(url)); }

Outcome<SendHttp::Answer> carry_out(Run& run, const SendHttp& request) {
  auto shared = std::make_shared<Exchange>();
  auto id = net::start_request(on_the_wire(request), [shared](net::HttpResponse response) {
    shared->response = std::move(response);
    shared->completion.finish();
  });
  const char* what = "an HTTP request";
  if (shared->completion.wait(what, text_value(request.shown())) != Wake::Cancelled) {
    return from_the_wire(std::move(shared->response));
  }
  net::cancel_request(id);
  shared->completion.wait(what, {}, run.clock().now() + kCancelTime);
  return stopped_error();
}

}  // namespace harn::effects
