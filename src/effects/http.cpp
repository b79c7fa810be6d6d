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

Outcome<SendHttp::Answer> carry_out(Run& run, const SendHttp& request) {
  auto shared = std::make_shared<Exchange>();
  auto id = net::start_request(request, [shared](net::HttpResponse response) {
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
