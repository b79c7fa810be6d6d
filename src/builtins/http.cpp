// HTTP requests. They run on fibers: the functions here read as if they blocked.
#include "net/http.h"

#include <strings.h>
#include <time.h>

#include <charconv>
#include <chrono>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/http_options.h"
#include "builtins/wait_time.h"
#include "effects/gate.h"
#include "net/url.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr int64_t kLongestBackoffMs = 60'000;
// How long a task that is stopped waits for its request to be gone.
constexpr int64_t kCancelTimeMs = 1'500;

// What the task and the I/O thread share.
struct Exchange {
  Completion completion;
  net::HttpResponse response;
};

// Real time, whatever the program does to its clock: it is the network that is waited for.
int64_t now_ms() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::string shown(const net::HttpRequest& request) {
  return fmt::format("{} {}", request.method, net::masked_url(request.url));
}

std::unexpected<Thrown> request_failed(const net::HttpRequest& request, std::string_view why) {
  return throw_text("http: request failed: {} ({})", why, shown(request));
}

// One request, one answer: an answer may be a failure.
Outcome<net::HttpResponse> send(Call& call, const net::HttpRequest& request) {
  std::string name = shown(request);
  HARN_CHECK(effects::pass(call, {.capability = "network.access", .subject = request.url, .shown = name}));
  auto shared = std::make_shared<Exchange>();
  auto id = net::start_request(request, [shared](net::HttpResponse response) {
    shared->response = std::move(response);
    shared->completion.finish();
  });
  const char* what = "an HTTP request";
  if (shared->completion.wait(what, text_value(name)) != Wake::Cancelled) return std::move(shared->response);
  net::cancel_request(id);
  shared->completion.wait(what, {}, due_in(call.vm().scheduler(), kCancelTimeMs));
  return stopped_error();
}

// ---- redirects ----

// What was meant for one server is not shown to another.
void forget_secrets(net::HttpRequest& request) {
  std::erase_if(request.headers, [](const net::HttpHeader& header) {
    return strcasecmp(header.name.c_str(), "authorization") == 0 || strcasecmp(header.name.c_str(), "cookie") == 0;
  });
}

// Follows redirects here and not in curl, so that each hop passes the gate. All hops share the time of
// one attempt, which also ends at `due_ms`.
Outcome<net::HttpResponse> attempt(Call& call, const HttpPlan& plan, int64_t due_ms) {
  net::HttpRequest request = plan.request;
  if (request.timeout_ms > 0) due_ms = std::min(due_ms, now_ms() + request.timeout_ms);
  for (int64_t hops = 0;; ++hops) {
    if (due_ms != INT64_MAX) request.timeout_ms = std::max<int64_t>(1, due_ms - now_ms());
    auto response = HARN_TRY(send(call, request));
    if (!plan.follow_redirects || response.redirect_to.empty()) return response;
    if (hops == plan.max_redirects) return request_failed(plan.request, fmt::format("more than {} redirects", hops));
    bool is_http = net::split_url(response.redirect_to).has_value();
    if (!is_http) return request_failed(request, "redirected to what is not http or https");
    if (!net::is_same_origin(request.url, response.redirect_to)) forget_secrets(request);
    request.url = net::encoded_url(response.redirect_to);
  }
}

// ---- retries ----

bool is_worth_a_retry(const HttpPlan& plan, const net::HttpResponse& response) {
  using net::HttpFailure;
  const auto& methods = plan.retry_methods;
  if (std::find(methods.begin(), methods.end(), plan.request.method) == methods.end()) return false;
  switch (response.failure) {
    case HttpFailure::None: break;
    case HttpFailure::Address:
    case HttpFailure::Connect:
    case HttpFailure::Timeout:
    case HttpFailure::Cut: return true;
    case HttpFailure::Tls:
    case HttpFailure::TooLarge:
    case HttpFailure::Cancelled:
    case HttpFailure::Unavailable: return false;
  }
  return std::find(plan.retry_on.begin(), plan.retry_on.end(), response.status) != plan.retry_on.end();
}

// `Retry-After`, in seconds or as a date; -1: the server does not say.
int64_t asked_delay_ms(Call& call, const net::HttpResponse& response) {
  if (response.status != 429 && response.status != 503) return -1;
  for (const net::HttpHeader& header : response.headers) {
    if (header.name != "retry-after") continue;
    int64_t seconds = 0;
    const char* end = header.value.data() + header.value.size();
    if (auto read = std::from_chars(header.value.data(), end, seconds); read.ec == std::errc() && read.ptr == end) {
      return std::clamp<int64_t>(seconds, 0, kLongestBackoffMs / 1000) * 1000;
    }
    tm date{};
    if (!strptime(header.value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date)) return -1;
    return std::clamp<int64_t>(timegm(&date) * 1000 - call.vm().host().now_ms(), 0, kLongestBackoffMs);
  }
  return -1;
}

// Doubles with each attempt, give or take a quarter.
int64_t delay_ms(Call& call, const HttpPlan& plan, int64_t attempts, const net::HttpResponse& response) {
  if (plan.respect_retry_after) {
    int64_t asked = asked_delay_ms(call, response);
    if (asked >= 0) return asked;
  }
  double delay = static_cast<double>(plan.backoff_ms);
  for (int64_t i = 1; i < attempts && delay < kLongestBackoffMs; ++i) delay *= 2;
  uint32_t random = 0;
  call.vm().host().random_bytes(&random, sizeof random);
  delay *= 0.75 + 0.5 * (random / 4294967295.0);
  return static_cast<int64_t>(std::min(delay, static_cast<double>(kLongestBackoffMs)));
}

Outcome<net::HttpResponse> perform(Call& call, const HttpPlan& plan) {
  int64_t due_ms = plan.total_timeout_ms > 0 ? now_ms() + plan.total_timeout_ms : INT64_MAX;
  for (int64_t attempts = 1;; ++attempts) {
    auto response = HARN_TRY(attempt(call, plan, due_ms));
    if (attempts > plan.retries || !is_worth_a_retry(plan, response)) return response;
    int64_t delay = delay_ms(call, plan, attempts, response);
    if (due_ms != INT64_MAX && now_ms() + delay >= due_ms) return response;
    if (fiber_sleep("the next attempt of an HTTP request", due_in(call.vm().scheduler(), delay)) == Wake::Cancelled) {
      return stopped_error();
    }
  }
}

// ---- the value ----

// A body that was decompressed on the way is not what these describe.
bool describes_packed_body(const HttpPlan& plan, const net::HttpResponse& response, std::string_view name) {
  if (!plan.request.decompress || (name != "content-encoding" && name != "content-length")) return false;
  return std::any_of(response.headers.begin(), response.headers.end(), [](const net::HttpHeader& header) {
    return header.name == "content-encoding" && header.value != "identity";
  });
}

Value response_value(const HttpPlan& plan, const net::HttpResponse& response) {
  DictBuilder headers;
  for (const net::HttpHeader& header : response.headers) {
    if (describes_packed_body(plan, response, header.name)) continue;
    headers.add(header.name, text_value(text::to_valid_utf8(header.value)));
  }
  return DictBuilder()
      .add("status", Value::integer(response.status))
      .add("headers", headers.done())
      .add("body", text_value(text::to_valid_utf8(response.body)))
      .add("ok", Value::boolean(response.status >= 200 && response.status < 300))
      .done();
}

Outcome<Value> http_get(Call& call) {
  auto plan = HARN_TRY(read_http_options("GET", display(call.arg(0)), call.arg(1)));
  auto response = HARN_TRY(perform(call, plan));
  if (response.failure != net::HttpFailure::None) return request_failed(plan.request, response.message);
  return response_value(plan, response);
}

constinit const Builtin kRows[] = {
    {.name = "http_get",
     .signature = "(url: string, options?: dict) -> dict",
     .doc = "Fetches a URL and gives {status, headers, body, ok}; a stopped task drops the request.",
     .example = "unwrap_err(try { http_get(\"ftp://a.org\") }) == "
                "\"http: URL must start with http:// or https://, got 'ftp://a.org'\"",
     .needs = Capability::Network,
     .wait = on_fiber<http_get>},
};

}  // namespace

std::span<const Builtin> http_rows() { return kRows; }

}  // namespace harn::builtins
