#pragma once

#include "effects/egress.h"
#include "effects/perform.h"
#include "net/http.h"

// HTTP: one exchange is one effect. `fetch` is what people mean by a request: redirects are followed and failures
// retried, and each exchange on the way passes the policy. http_stream.h has answers that are read in pieces.
namespace harn::effects {

using HttpHeader = net::HttpHeader;
using HttpFailure = net::HttpFailure;
// As programs are told.
ErrorKind kind_of(HttpFailure failure);

// Authorization, cookies, and what is named like a secret.
bool is_secret_header(std::string_view name);

// A text in which other words stand for secret values.
std::string without_any(std::string text, const std::vector<std::string>& values, std::string_view instead);

// What all kinds of exchanges are asked with.
struct HttpExchange : net::HttpRequest {
  std::string shown() const;
  std::string told_to_person() const;
  // What only we and the server should know: of headers, the URL, a form and the proxy, by their names.
  std::vector<std::string> secret_values() const;
  // Whom it talks to, for the rules about that (egress.h).
  std::vector<EgressTarget> targets() const;
  // Times are left out: what is left of them differs from run to run.
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(method), visit(url), visit(headers), visit(body), visit(proxy), visit(proxy_user);
    visit(max_body), visit(decompress), visit(tls);
  }
};

struct SendHttp : HttpExchange {
  struct Answer : net::HttpResponse {
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(failure), visit(message), visit(status), visit(headers), visit(body), visit(redirect_to);
    }
  };
  static constexpr EffectRow row{.name = "http.send", .capability = vm::Capability::Network, .version = 2};
};
// On a fiber: the task waits; when it is stopped, the request is dropped. An answer may be a failure.
vm::Outcome<SendHttp::Answer> carry_out(Run& run, const SendHttp& request);

// A request, and what to do around it.
struct HttpPlan {
  HttpExchange request;
  int64_t total_timeout_ms = 0;  // over all attempts; 0: none
  int64_t retries = 0;
  int64_t backoff_ms = 1000;
  std::vector<int64_t> retry_on = {408, 429, 500, 502, 503, 504};
  std::vector<std::string> retry_methods = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  bool respect_retry_after = true;
  bool follow_redirects = true;
  int64_t max_redirects = 10;
  std::string* answered_by = nullptr;  // if not null: told the address that answered, after all redirects
};

// The request with the rules about addresses that are to be asked on the way.
net::HttpRequest checked_request(Run& run, const HttpExchange& request);

// Whom a URL leads to.
EgressTarget target_of(std::string_view url);
// What has to be asked about the address of each connection; null: nothing.
net::AddressCheck address_check(Run& run);

// The error of an exchange that the rules about connections do not let happen. The surface is what was asked for it: "http".
std::unexpected<vm::Thrown> egress_blocked(std::string_view url, std::string_view surface, std::string_view reason);
std::unexpected<vm::Thrown> egress_blocked(const HttpExchange& request, std::string_view reason);

// Fails when there is no answer: `http: request failed: ...`.
vm::Outcome<SendHttp::Answer> fetch(Run& run, const HttpPlan& plan);

}  // namespace harn::effects
