// What goes on around an exchange: redirects and retries. The same whether the answer is wanted whole or in pieces.
#include <strings.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/url.h"
#include "effects/clock.h"
#include "effects/http_stream.h"
#include "effects/random.h"
#include "vm/clock.h"
#include "vm/fiber.h"

namespace harn::effects {

using namespace vm;

ErrorKind kind_of(HttpFailure failure) {
  switch (failure) {
    case HttpFailure::Timeout: return ErrorKind::Timeout;
    case HttpFailure::Cancelled: return ErrorKind::Cancelled;
    case HttpFailure::TooLarge: return ErrorKind::Limit;
    case HttpFailure::Unavailable: return ErrorKind::Io;
    case HttpFailure::Blocked: return ErrorKind::Denied;
    default: return ErrorKind::Network;
  }
}

namespace {

constexpr int64_t kLongestBackoffMs = 60'000;
// Real time, whatever the program does to its clock: it is the network that is waited for.
int64_t now_ms() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::unexpected<Thrown> request_failed(ErrorKind kind, const HttpExchange& request, std::string_view why) {
  auto error = throw_text(kind, "http: request failed: {} ({})", why, request.shown());
  return with_facts(std::move(error), "http", {{"request", text_value(request.shown())}, {"reason", text_value(why)}});
}

// ---- redirects ----

// What was meant for one server is not shown to another.
void forget_secrets(HttpExchange& request) {
  std::erase_if(request.headers, [](const HttpHeader& header) { return is_secret_header(header.name); });
}

// "See other" is an answer to look up; after a POST, so are the two oldest redirects. The others are to be asked the
// same again.
void change_method(HttpExchange& request, int status) {
  bool is_lookup = status == 303 && request.method != "HEAD";
  bool was_post = (status == 301 || status == 302) && request.method == "POST";
  if (!is_lookup && !was_post) return;
  request.method = "GET";
  request.body.clear();
  std::erase_if(request.headers,
                [](const HttpHeader& header) { return strncasecmp(header.name.c_str(), "content-", 8) == 0; });
}

// What is left of an answer that nobody gets.
Outcome<void> drop_answer(Run&, const SendHttp::Answer&) { return {}; }
Outcome<void> drop_answer(Run& run, const OpenHttp::Answer& answer) {
  if (answer.stream) HARN_CHECK(perform(run, CloseHttp{answer.stream}));
  return {};
}

// Follows redirects here and not in curl, so that each hop passes the gate. All hops share the time of
// one attempt, which also ends at `due_ms`.
template <class Request>
Outcome<typename Request::Answer> attempt(Run& run, const HttpPlan& plan, int64_t due_ms) {
  Request request{plan.request};
  if (request.timeout_ms > 0) due_ms = std::min(due_ms, now_ms() + request.timeout_ms);
  for (int64_t hops = 0;; ++hops) {
    if (due_ms != INT64_MAX) request.timeout_ms = std::max<int64_t>(1, due_ms - now_ms());
    auto response = HARN_TRY(perform(run, request));
    if (!plan.follow_redirects || response.redirect_to.empty()) {
      if (plan.answered_by) *plan.answered_by = request.url;
      return response;
    }
    HARN_CHECK(drop_answer(run, response));
    if (hops == plan.max_redirects)
      return request_failed(ErrorKind::Network, plan.request, fmt::format("more than {} redirects", hops));
    bool is_http = split_url(response.redirect_to).has_value();
    if (!is_http) return request_failed(ErrorKind::Network, request, "redirected to what is not http or https");
    if (!is_same_origin(request.url, response.redirect_to)) forget_secrets(request);
    change_method(request, response.status);
    request.url = encoded_url(response.redirect_to);
  }
}

// ---- retries ----

bool is_worth_a_retry(const HttpPlan& plan, const net::HttpResponse& response) {
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
    case HttpFailure::Unavailable:
    case HttpFailure::Blocked: return false;
  }
  return std::find(plan.retry_on.begin(), plan.retry_on.end(), response.status) != plan.retry_on.end();
}

// `Retry-After`, in seconds or as a date; -1: the server does not say.
int64_t asked_delay_ms(Run& run, const net::HttpResponse& response) {
  if (response.status != 429 && response.status != 503) return -1;
  for (const HttpHeader& header : response.headers) {
    if (header.name != "retry-after") continue;
    int64_t seconds = 0;
    const char* end = header.value.data() + header.value.size();
    if (auto read = std::from_chars(header.value.data(), end, seconds); read.ec == std::errc() && read.ptr == end) {
      return std::clamp<int64_t>(seconds, 0, kLongestBackoffMs / 1000) * 1000;
    }
    tm date{};
    if (!strptime(header.value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date)) return -1;
    return std::clamp<int64_t>(timegm(&date) * 1000 - wall_ms(run), 0, kLongestBackoffMs);
  }
  return -1;
}

// Doubles with each attempt, give or take a quarter.
int64_t delay_ms(Run& run, const HttpPlan& plan, int64_t attempts, const net::HttpResponse& response) {
  if (plan.respect_retry_after) {
    int64_t asked = asked_delay_ms(run, response);
    if (asked >= 0) return asked;
  }
  double delay = static_cast<double>(plan.backoff_ms);
  for (int64_t i = 1; i < attempts && delay < kLongestBackoffMs; ++i) delay *= 2;
  delay *= 0.75 + 0.5 * jitter(run);
  return static_cast<int64_t>(std::min(delay, static_cast<double>(kLongestBackoffMs)));
}

template <class Request>
Outcome<typename Request::Answer> exchange(Run& run, const HttpPlan& plan) {
  int64_t due_ms = plan.total_timeout_ms > 0 ? now_ms() + plan.total_timeout_ms : INT64_MAX;
  for (int64_t attempts = 1;; ++attempts) {
    auto answer = HARN_TRY(attempt<Request>(run, plan, due_ms));
    bool is_last = attempts > plan.retries || !is_worth_a_retry(plan, answer);
    int64_t delay = is_last ? 0 : delay_ms(run, plan, attempts, answer);
    if (is_last || (due_ms != INT64_MAX && now_ms() + delay >= due_ms)) {
      if (answer.failure == HttpFailure::Blocked) return egress_blocked(plan.request, answer.message);
      if (answer.failure != HttpFailure::None)
        return request_failed(kind_of(answer.failure), plan.request, answer.message);
      return answer;
    }
    HARN_CHECK(drop_answer(run, answer));
    Nanoseconds due = run.clock().now() + delay * kMillisecond;
    if (fiber_sleep("the next attempt of an HTTP request", due) == Wake::Cancelled) return stopped_error();
  }
}

}  // namespace

Outcome<SendHttp::Answer> fetch(Run& run, const HttpPlan& plan) { return exchange<SendHttp>(run, plan); }
Outcome<OpenHttp::Answer> open_stream(Run& run, const HttpPlan& plan) { return exchange<OpenHttp>(run, plan); }

}  // namespace harn::effects
